//! Tests of the offline reader's plans, with questions as people ask them of the sample corpus.

use super::*;

fn plan(question: &str, earlier: Option<&str>) -> Value {
    serde_json::from_str(&write(&Lexicon::new(), question, earlier)).unwrap()
}

#[test]
fn keywords_with_the_telling_ones_first() {
    let plan = plan(
        "What is the total amount of invoice INV-2041 from Acme?",
        None,
    );
    assert_eq!(
        plan["keywords"],
        json!(["INV-2041", "Acme", "invoice", "total"])
    );
    assert_eq!(
        plan["query"],
        "What is the total amount of invoice INV-2041 from Acme?"
    );
    assert_eq!(plan["file_filter"], Value::Null);
    assert_eq!(plan["source_hint"], Value::Null);
}

#[test]
fn what_is_wanted_is_read_by_rules() {
    let read = plan("Show me invoices from Acme over $1k as a table", None);
    assert_eq!(
        [
            &read["class"],
            &read["intent"],
            &read["output"],
            &read["strategy"]
        ],
        ["simple", "list", "table", "hybrid"]
    );
    assert_eq!(read["citations"], true);
    // Topics are for a model to name, and conditions for who knows the corpus.
    assert_eq!((read.get("topics"), read.get("constraints")), (None, None));
    let compared = plan("Is the price of Acme higher than the price of Bolt?", None);
    assert_eq!(compared["class"], "comparative");
    assert_eq!(
        compared["sub_queries"],
        json!([
            {"query": "Is the price of Acme", "purpose": "one side of the comparison"},
            {"query": "Is the price of Bolt", "purpose": "one side of the comparison"},
        ])
    );
}

#[test]
fn a_file_only_when_it_is_named() {
    let hint = |q| plan(q, None)["source_hint"].clone();
    assert_eq!(
        hint("What does terms-2024.pdf say about refunds?"),
        "terms-2024.pdf"
    );
    assert_eq!(hint("Who signed in file Invoice_77?"), "Invoice_77");
    assert_eq!(hint("Which file is about refunds?"), Value::Null);
    assert_eq!(hint("Is Node.js used, e.g. in tests?"), Value::Null);
    let filter = |q| plan(q, None)["file_filter"].clone();
    assert_eq!(filter("Which PDF files mention refunds?"), "pdf");
    assert_eq!(filter("What is the price in the html?"), "html");
    assert_eq!(filter("How is text kept?"), Value::Null);
    assert_eq!(filter("What does terms.pdf say?"), Value::Null);
}

#[test]
fn refining_changes_the_query_until_nothing_is_left() {
    let question = "What is the price of the blue widget?";
    let mut earlier = question.to_owned();
    let mut queries = Vec::new();
    for _ in 0..6 {
        let query = plan(question, Some(&earlier))["query"]
            .as_str()
            .unwrap()
            .to_owned();
        earlier.push('\n');
        earlier.push_str(&query);
        queries.push(query);
    }
    assert_eq!(queries[0], "price blue widget cost charge");
    assert_eq!(queries[1], "price widget");
    assert_eq!(queries[5], question);
}

const ROUTES: &str = "\"retrieve\" if …\n\"ask_clarification\" if …";

fn follow_up(question: &str, history: &str) -> Value {
    routed(question, history, ROUTES)
}

fn routed(question: &str, history: &str, routes: &str) -> Value {
    let plan = write_follow_up(&Lexicon::new(), question, history, routes);
    serde_json::from_str(&plan).unwrap()
}

#[test]
fn a_call_for_help_is_asked_with_what() {
    for (question, is_unclear) in [
        ("Help me", true),
        ("Help!", true),
        ("Can you help me with the program?", true),
        ("Help me with the Delta pump", false),
        ("Help me with invoice 2041", false),
        ("Help me find the notice period of the lease", false),
        ("Who helps with the program?", false),
        ("What is the program?", false),
    ] {
        let route = follow_up(question, "")["route"].clone();
        assert_eq!(route == "ask_clarification", is_unclear, "{question}");
    }
    let route = |routes| routed("Help me", "", routes)["route"].clone();
    assert_eq!(
        route("\"retrieve\" if …"),
        "retrieve",
        "who replies is not asked again"
    );
    assert_eq!(route(""), "retrieve");
}

#[test]
fn a_question_back_names_nothing() {
    let history = "User: Help me with the program\n\
                   Assistant: What do you mean by “Help me with the program”? Please name what it is about.\n\
                   User: Help me with the program - User clarified: When does the lease of the Harrow workshop end?\n\
                   Assistant: It ends on 31 March 2027 [1].";
    let plan = follow_up("And how much is the deposit of it?", history);
    assert_eq!(
        plan["question"],
        "And how much is the deposit of the lease?"
    );
}

#[test]
fn what_is_near_is_looked_for_where_places_are() {
    let routes = "\"location_search\" if …";
    for question in [
        "Find daycare near Austin",
        "Which office is closest to Bonn?",
    ] {
        assert_eq!(routed(question, "", routes)["route"], "location_search");
        assert_eq!(follow_up(question, "")["route"], "retrieve");
    }
    let elsewhere = routed("What is the nearness rule?", "", routes);
    assert_eq!(elsewhere["route"], "retrieve");
}

#[test]
fn a_follow_up_is_filled_from_what_was_said() {
    let history = "User: Who made the Delta pump?\n\
                   User: How long is the guarantee on the Delta pump?\n\
                   Assistant: The guarantee is 24 months [1].";
    let plan = follow_up("What about the Gamma pump?", history);
    assert_eq!(
        plan["question"],
        "How long is the guarantee on the Gamma pump?"
    );
    assert_eq!(plan["route"], "rewrite_then_retrieve");
    assert_eq!(plan["query"], plan["question"]);
    let keywords = plan["keywords"].to_string();
    assert!(keywords.contains("guarantee"), "{keywords}");
    for alone in [
        "Who signed the lease of Acme?",
        "Which invoices are overdue?",
    ] {
        let plan = follow_up(alone, history);
        assert_eq!(
            (&plan["route"], &plan["question"]),
            (&json!("retrieve"), &json!(alone))
        );
    }
    assert_eq!(follow_up("And in June?", "")["route"], "retrieve");
    let history = "User: What is the dropout voltage of the QD-7706 at full load?\n\
                   Assistant: It is typically 210 mV [1].";
    let plan = follow_up("What about the QD-7705?", history);
    assert_eq!(
        plan["question"],
        "What is the dropout voltage of the QD-7705 at full load?"
    );
}

#[test]
fn questions_are_taken_apart_as_people_would() {
    let worked = [
        (
            "Compare the notice period of Corvane vs the notice period of Osterby",
            "comparative compare prose",
            2,
        ),
        (
            "What changed in the cleaning contract from 2023 to 2026?",
            "temporal qa prose",
            2,
        ),
        (
            "Step-by-step procedure for returning a faulty TP-120",
            "multi_step qa prose",
            0,
        ),
        (
            "How long is the warranty on the TP-120?",
            "simple qa prose",
            0,
        ),
        (
            "Summarise the termination clause of the contract with Marrowgate",
            "simple summarize prose",
            0,
        ),
        (
            "Make a table of the transistors with a voltage of at least 40 V",
            "multi_step qa table",
            0,
        ),
        (
            "Which solvents from Brightmoor have a flash point below 20 °C?",
            "multi_step list prose",
            0,
        ),
        (
            "Find invoices over $1k from Brightmoor that are not from 2024",
            "simple list prose",
            0,
        ),
        ("List every invoice as CSV", "simple list csv", 0),
        (
            "How many certificates were issued since 2024?",
            "simple compute prose",
            0,
        ),
        (
            "Explain the maintenance steps for line 3",
            "multi_step qa prose",
            0,
        ),
    ];
    for (question, read, parts) in worked {
        let plan = plan(question, None);
        let said = ["class", "intent", "output"].map(|field| plan[field].as_str().unwrap());
        assert_eq!(said.join(" "), read, "{question}");
        let queries = plan["sub_queries"].as_array().unwrap();
        assert_eq!(queries.len(), parts, "{question}: {plan}");
    }
}
