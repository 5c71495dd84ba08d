//! Tests of questions that get no table because something is unknown or still open.

use super::tests::{columns, cx, run};
use crate::{Options, Retriever};
use envelope::hop::RetrieverExit;
use envelope::{Doubt, Fallback, Search, TurnId};
use linking::{GroupKey, Tabulation};
use stage::Stage;
use std::sync::Arc;

#[tokio::test]
async fn a_name_that_no_document_says_is_asked_back_at_once() {
    let of_zephyr = |said: &'static str| {
        let unfit = Tabulation::Unfit {
            why: "`Zephyr Ltd` is no condition on a column".into(),
            name: Some("Zephyr".into()),
            facets: Vec::new(),
        };
        let mut searcher = columns(3, unfit);
        Arc::get_mut(&mut searcher).unwrap().said = said;
        searcher
    };
    let question = cx("How many invoices does Zephyr Ltd have?");
    let done = run(&of_zephyr(""), &question).await;
    let RetrieverExit::NothingFound(Doubt::NotInDocuments { missing, tried, .. }) = &done.out
    else {
        panic!("{:?}", done.out)
    };
    assert_eq!(*missing, ["Zephyr"]);
    assert_eq!(*tried, ["a search for `Zephyr`"]);
    // A document may say the name although no column has it, and a user who has just been asked is not asked again.
    let mut reply = cx("How many invoices does Zephyr Ltd have?");
    reply.header.parent = Some(TurnId::new("t0").unwrap());
    for (said, question) in [("Zephyr", question), ("", reply)] {
        let done = run(&of_zephyr(said), &question).await;
        assert!(done.decided.contains("no table"), "{}", done.decided);
    }
}

#[tokio::test]
async fn a_reply_that_leaves_open_what_is_meant_gets_no_table() {
    let mut open = columns(3, Tabulation::Fit(Box::default()));
    Arc::get_mut(&mut open).unwrap().linked.contradictory =
        vec![("over 500".into(), "under 300".into())];
    let mut reply = cx("List the invoices over 500 and under 300 - User clarified: yes");
    reply.header.parent = Some(TurnId::new("t0").unwrap());
    let done = run(&open, &reply).await;
    assert!(done.decided.contains("still open"), "{}", done.decided);
}

/// The newest document may say what an index that lacks it does not find.
#[tokio::test]
async fn nothing_is_concluded_from_an_index_that_is_behind() {
    let unfit = Tabulation::Unfit {
        why: "`Zephyr` is no condition on a column".into(),
        name: Some("Zephyr".into()),
        facets: Vec::new(),
    };
    let unsure = Tabulation::Unsure {
        table: Box::default(),
        words: vec!["gist".into()],
        why: "`gist` is no condition".into(),
        facets: Vec::new(),
    };
    for tabulation in [unfit, unsure] {
        let mut searcher = columns(3, tabulation);
        Arc::get_mut(&mut searcher).unwrap().is_behind = true;
        let mut question = cx("How many invoices does Zephyr have?");
        question.case.min_seq = 9;
        let retriever = Retriever::new(searcher, Options::default()).unwrap();
        let waits = retriever.run(&question, Search::default()).await;
        let waits = waits.unwrap_err().to_string();
        assert!(waits.contains("behind"), "{waits}");
        question.attempt = 3;
        let done = retriever.run(&question, Search::default()).await.unwrap();
        assert!(done.decided.contains("no table: "), "{}", done.decided);
    }
}

#[tokio::test]
async fn two_columns_and_too_many_documents_are_asked_back() {
    let two = Tabulation::Ambiguous {
        said: "amount".into(),
        columns: vec!["max_voltage".into(), "max_current".into()],
    };
    let done = run(&columns(3, two), &cx("the largest part?")).await;
    let RetrieverExit::NothingFound(Doubt::Ambiguous { columns: named, .. }) = &done.out else {
        panic!("{:?}", done.out)
    };
    assert_eq!(*named, ["max voltage", "max current"]);

    let unfit = || Tabulation::Unfit {
        why: "`summarize` is no condition on a column".into(),
        name: None,
        facets: vec![GroupKey::Year("invoice_date".into())],
    };
    let done = run(
        &columns(1_200, unfit()),
        &cx("Summarize all invoices of Acme"),
    )
    .await;
    let RetrieverExit::NothingFound(Doubt::TooMany {
        documents,
        narrowed_by,
        facets,
        choices,
        ..
    }) = &done.out
    else {
        panic!("{:?}", done.out)
    };
    assert_eq!(*choices, ["2020", "2021"]);
    assert!(done.decided.contains("`summarize`"), "{}", done.decided);
    assert_eq!(*documents, 1_200);
    assert_eq!(narrowed_by[0], "vendor name is Acme or ACME");
    assert_eq!(*facets, ["by year: 2020 (600), 2021 (600)"]);
    // Nobody is asked twice; the answer says that it is not from all of them.
    let mut reply = cx("Summarize all invoices of Acme - User clarified: 2020");
    reply.header.parent = Some(TurnId::new("t0").unwrap());
    let done = run(&columns(1_200, unfit()), &reply).await;
    let many = Fallback::ManyDocuments { documents: 1_200 };
    assert!(done.fallbacks.contains(&many), "{:?}", done.fallbacks);
    // So is a question that says nothing by which one of the documents fits better than another.
    for (documents, is_asked) in [(1_200, true), (90, false)] {
        let mut searcher = Arc::into_inner(columns(documents, unfit())).unwrap();
        searcher.linked.is_bare = true;
        let done = run(
            &Arc::new(searcher),
            &cx("What do the invoices of Acme say?"),
        )
        .await;
        let is_many =
            |out: &RetrieverExit| matches!(out, RetrieverExit::NothingFound(Doubt::TooMany { .. }));
        assert_eq!(is_many(&done.out), is_asked, "{:?}", done.out);
    }
    // Few are read, and so is what is not about all.
    for (documents, question) in [
        (90, "Summarize all invoices of Acme"),
        (1_200, "What does Acme charge?"),
    ] {
        let done = run(&columns(documents, unfit()), &cx(question)).await;
        let RetrieverExit::NothingFound(Doubt::NoResults { .. }) = &done.out else {
            panic!("{question}: {:?}", done.out)
        };
        assert!(
            done.decided.contains("no table: `summarize`"),
            "{}",
            done.decided
        );
    }
}
