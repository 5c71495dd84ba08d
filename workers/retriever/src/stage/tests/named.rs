//! Tests of the retriever's step, against a scripted searcher, on questions that name documents or that no document
//! answers.

use super::linking_tests::of_acme;
use super::*;
use crate::exits::tried;
use envelope::TurnId;
use linking::QuestionSide;

/// The sides of a question that compares two names of a company.
fn sides() -> Vec<QuestionSide> {
    let side = |name: &str| QuestionCondition {
        test: Test::Is(vec![vec![name.to_owned()]]),
        ..of_acme(Intent::Prose).conditions.remove(0)
    };
    let sides = ["Acme Ltd", "ACME"].map(|name| QuestionSide {
        conditions: vec![side(name)],
        said: format!("what {name} says"),
    });
    sides.into()
}

#[tokio::test]
async fn the_sides_of_a_comparison_keep_what_is_far_below_the_best() {
    let scored = |doc: &str, score: f32| Passage {
        score,
        ..passage(doc, "t")
    };
    for (sides, kept) in [(sides(), 6), (Vec::new(), 4)] {
        let scores = [0.9, 0.8, 0.1, 0.1, 0.5].iter().enumerate();
        let found = scores.map(|(i, score)| scored(&format!("d{i}"), *score));
        let mut searcher = FakeSearcher::new(found.collect(), 4);
        searcher.linked = of_acme(Intent::Prose);
        searcher.linked.sides = sides;
        searcher.of_company = vec![scored("c", 0.9)];
        let retriever = Retriever::new(Arc::new(searcher), Options::default()).unwrap();
        let search = Search {
            plan: plan(),
            then: After::Generate,
            ..Search::default()
        };
        let done = retriever.run(&cx(), search).await.unwrap();
        let RetrieverExit::Found(found) = &done.out else {
            panic!("nothing found")
        };
        assert_eq!(found.passages.len(), kept, "{}", done.decided);
    }
}

#[tokio::test]
async fn the_sides_of_a_comparison_are_searched_each_by_itself() {
    let mut searcher = FakeSearcher::new(vec![passage("a", "t"), passage("b", "t")], 4);
    searcher.linked = of_acme(Intent::Prose);
    searcher.linked.sides = sides();
    searcher.of_company = vec![passage("c", "t")];
    let (done, requests) = run(searcher, &cx()).await;
    let filters: Vec<String> = requests.iter().map(|one| one.filter.to_string()).collect();
    assert_eq!(filters.len(), 4, "the whole, what is named, and each side");
    assert!(filters[1].contains("company in [\"Acme Ltd\",\"ACME\"] and bucket"));
    assert!(filters[2].ends_with("company in [\"Acme Ltd\"]"));
    assert!(filters[3].ends_with("company in [\"ACME\"]"));
    let queries: Vec<&str> = requests.iter().map(|one| one.query.as_str()).collect();
    assert_eq!(queries[2..], ["what Acme Ltd says", "what ACME says"]);
    assert!(
        done.decided.contains("a share of the list to company"),
        "{}",
        done.decided
    );
}

#[tokio::test]
async fn what_the_documents_do_not_say_is_told_with_what_is_missing() {
    let asked_with = |question: &str, conditions_max: usize, options: Options| {
        let passages = vec![passage("a", "Acme sells pumps.")];
        let searcher = Arc::new(FakeSearcher::new(passages, conditions_max));
        let mut cx = cx();
        cx.case.question.rewritten = Some(question.into());
        let retriever = Retriever::new(searcher, options).unwrap();
        async move { retriever.run(&cx, mapped(plan())).await.unwrap() }
    };
    let asked = |question: &str, options: Options| asked_with(question, 4, options);
    let early = Options {
        silent_below: 0.5,
        ..Options::default()
    };
    let done = asked("What does Kestrel sell?", early.clone()).await;
    let RetrieverExit::NothingFound(Doubt::NotInDocuments { missing, tried, .. }) = &done.out
    else {
        panic!("{:?}", done.out)
    };
    assert_eq!(missing, &["Kestrel"]);
    let searched = "a search for `total of the invoice`";
    let (year, pdf) = ("year = 2024", "source contains \".pdf\"");
    let conditions = [format!("with {year}"), format!("with {pdf}")];
    assert_eq!(
        (tried[0].as_str(), &tried[1..]),
        (searched, &conditions[..])
    );
    assert_eq!(done.decided, "the documents do not say");
    // The planner's guess is given up for a second search.
    let done = asked_with("What does Kestrel sell?", 1, early.clone()).await;
    let RetrieverExit::NothingFound(Doubt::NotInDocuments { tried, .. }) = &done.out else {
        panic!("{:?}", done.out)
    };
    let conditions = [format!("with {year}"), format!("without {pdf}")];
    assert_eq!(
        (tried[0].as_str(), &tried[1..]),
        (searched, &conditions[..])
    );
    let never = Options {
        silent_below: 0.0,
        ..Options::default()
    };
    let done = asked("What does Kestrel sell?", never).await;
    assert!(matches!(done.out, RetrieverExit::Found(_)));
}

#[test]
fn what_was_tried_names_the_searches_in_another_way() {
    let narrowing = Narrowing::over(Filter::default(), 3);
    let again = "searched again in both ways; searched again in the words of the question; ";
    assert_eq!(
        tried("lamps", &narrowing, again),
        [
            "a search for `lamps`",
            "searched again in both ways",
            "searched again in the words of the question"
        ]
    );
}

#[tokio::test]
async fn a_question_whose_words_fit_any_passage_is_asked_back() {
    let asked = |share: f32, passages: f32, cx: StepContext, plan: Plan| {
        let mut searcher = FakeSearcher::new(vec![passage("a", "t")], 4);
        searcher.fitting = Some(Fitting { share, passages });
        let retriever = Retriever::new(Arc::new(searcher), Options::default()).unwrap();
        async move { retriever.run(&cx, mapped(plan)).await.unwrap() }
    };
    let alone = || step(Role::Retriever, "And the other one?");
    let bare = || Plan {
        filter: Filter::default(),
        ..plan()
    };
    let done = asked(0.16, 19.0, alone(), bare()).await;
    let RetrieverExit::NothingFound(Doubt::Unclear { reason, .. }) = done.out else {
        panic!("{:?}", done.out)
    };
    assert_eq!(reason, "its words fit 16 % of all passages");
    // Rarer words, no more passages than are read, a condition, a question before, and a user who was just asked.
    let mut again = alone();
    again.header.parent = Some(TurnId::again("t"));
    let leaning = Plan {
        context: "What does the first one cost?".into(),
        ..bare()
    };
    for (share, passages, cx, plan) in [
        (0.01, 19.0, alone(), bare()),
        (0.9, 5.0, alone(), bare()),
        (0.16, 19.0, cx(), bare()),
        (0.16, 19.0, alone(), leaning),
        (0.16, 19.0, again, bare()),
    ] {
        let done = asked(share, passages, cx, plan).await;
        assert!(matches!(done.out, RetrieverExit::Found(_)), "{share}");
    }
}
