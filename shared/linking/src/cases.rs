//! Checks a list of questions in tests. *Not* part of the crate otherwise.

/// Panics with every question whose reading, as `told` puts it, is not the wanted one.
pub(crate) fn all_told(cases: &[(&str, &str)], told: impl Fn(&str) -> String) {
    let wrong = cases
        .iter()
        .map(|(question, wanted)| (question, wanted, told(question)))
        .filter(|(_, wanted, told)| told != *wanted);
    let wrong: Vec<String> = wrong
        .map(|(question, wanted, told)| format!("{question}: {told}, and not {wanted}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
