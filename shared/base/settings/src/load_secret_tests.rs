//! Tests of secrets: that they can be read from files, are never shown, and stay exactly as they were given.

use super::*;

#[test]
fn a_secret_comes_from_a_file_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, "0123\n").unwrap();
    let shown = path.display().to_string();
    let loaded = loaded(env(&[
        ("ARGOSY__nats__password_file", &shown),
        ("ARGOSY__llm__nodes__a__url", "http://a"),
        ("ARGOSY__llm__nodes__a__api_key_file", &shown),
    ]));
    assert_eq!(loaded.value.nats.password.expose(), "0123");
    let node = &loaded.value.llm.nodes["a"];
    assert_eq!(node.api_key.as_ref().unwrap().expose(), "0123");
    assert_eq!(
        loaded.origins["nats.password"].to_string(),
        format!(
            "secret file `{shown}`, named by environment variable `ARGOSY__nats__password_file`"
        )
    );
}

#[test]
fn secrets_in_lists_come_from_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    std::fs::write(&path, "0123\n").unwrap();
    let path = path.display();
    let node = format!("url = \"http://a\"\napi_key_file = \"{path}\"");
    let from_file = loaded(toml(&format!("[[llm.extra]]\n{node}")));
    let inline = format!("[{{\"url\": \"http://a\", \"api_key_file\": \"{path}\"}}]");
    let from_env = loaded(env(&[("ARGOSY__llm__extra", &inline)]));
    for loaded in [from_file, from_env] {
        let key = loaded.value.llm.extra[0].api_key.clone();
        assert_eq!(key.unwrap().expose(), "0123");
    }
    let missing = "[[llm.extra]]\nurl = \"http://a\"\napi_key_file = \"/nowhere/key\"";
    let missing = problem(toml(missing));
    assert!(
        missing.starts_with("`llm.extra.api_key_file` = `\"/nowhere/key\"` (file `argosy.toml`)"),
        "{missing}"
    );
}

#[test]
fn secret_files_may_be_left_unread() {
    let text = "[nats]\npassword_file = \"/nowhere/password\"\n\
                [[llm.extra]]\nurl = \"http://a\"\napi_key_file = \"/nowhere/key\"";
    refused(toml(text));
    let loaded = loaded(toml(text).without_secret_files());
    assert_eq!(loaded.value.nats.password.expose(), "unread");
    assert!(loaded.value.llm.extra[0].api_key.is_some());
    // A path is wanted all the same.
    let text = refused(toml("[nats]\npassword_file = 7").without_secret_files());
    assert!(text.contains("the path of a file"), "{text}");
}

#[test]
fn the_words_of_a_type_do_not_quote_a_secret() {
    // The type of a tagged section says only that something inside is wrong.
    let text = problem(toml(
        "[store]\nkind = \"qdrant\"\nurl = \"x\"\ndimensions = 1\napi_key = 918273",
    ));
    assert!(
        !text.contains("918273") && text.contains("invalid type"),
        "{text}"
    );
}

#[test]
fn a_bad_secret_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    std::fs::write(&empty, "\n").unwrap();
    let empty = empty.display().to_string();
    assert_eq!(
        problem(env(&[("ARGOSY__nats__password_file", &empty)])),
        format!(
            "`nats.password_file` = `\"{empty}\"` (environment variable \
             `ARGOSY__nats__password_file`): cannot use the file: it is empty"
        )
    );
    let missing = problem(toml("nats.password_file = \"/nowhere/key\""));
    assert!(missing.contains("No such file"), "{missing}");
    let typed = problem(toml("nats.password_file = 7"));
    assert!(typed.contains("wants the path of a file"), "{typed}");
}

#[test]
fn a_printed_configuration_hides_its_secrets_and_is_not_loaded_as_one() {
    let loaded = loaded(env(&[("ARGOSY__nats__password", "hunter2")]));
    let printed = serde_json::to_string(&loaded.value).unwrap();
    assert!(!printed.contains("hunter2") && printed.contains("***"));
    let again = problem(toml("nats.password = \"***\""));
    assert!(again.contains("`nats.password` = ***"), "{again}");
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(default)]
struct WithSecret {
    token: Secret,
    port: u16,
}

impl Default for WithSecret {
    fn default() -> Self {
        Self {
            token: Secret::new("dev"),
            port: 1,
        }
    }
}

#[test]
fn a_default_secret_survives_the_loading() {
    let sources = Sources::new().flags(pairs(&[("port", "2")]));
    let loaded: Configuration<WithSecret> = load(sources).unwrap();
    assert_eq!(loaded.value.token.expose(), "dev");
    assert_eq!(loaded.value.port, 2);
}

proptest! {
    #[test]
    fn no_secret_is_mangled(secret in r#"[^\x00]{1,40}|0[0-9]{1,6}|[0-9]e[0-9]|true|\[[0-9]\]|\{\}|[a-z],[a-z]"#) {
        prop_assume!(secret != MASK);
        let loaded = loaded(env(&[
            ("ARGOSY__nats__password", &secret),
            ("ARGOSY__llm__api_key", &secret),
        ]));
        prop_assert_eq!(loaded.value.nats.password.expose(), secret.as_str());
        let api_key = loaded.value.llm.api_key.unwrap();
        prop_assert_eq!(api_key.expose(), secret.as_str());
    }
}
