//! Tests of the engine's known properties: the ideal throughput, order, the cache, and that no request is lost.

use super::*;
use proptest::prelude::*;
use std::collections::HashMap;

fn ask(prompt_tokens: u32, answer_tokens: u32) -> EngineRequest {
    EngineRequest {
        prompt_tokens,
        blocks: Vec::new(),
        answer_tokens,
    }
}

fn run(engine: &mut Engine) -> Vec<Token> {
    let mut tokens = Vec::new();
    while let Some(next) = engine.next() {
        engine.advance(next, &mut tokens);
    }
    tokens
}

/// Calls a second and the mean time of a call, with this many callers, each of which calls again at once.
fn closed_loop(params: Params, callers: usize, calls: usize) -> (f64, f64) {
    let mut engine = Engine::new(params);
    let mut begun: HashMap<u64, Duration> = HashMap::new();
    for _ in 0..callers {
        let id = engine.submit(Duration::ZERO, ask(256, 60));
        begun.insert(id, Duration::ZERO);
    }
    let (mut times, mut tokens) = (Vec::new(), Vec::new());
    let mut now = Duration::ZERO;
    while times.len() < calls {
        now = engine.next().unwrap();
        engine.advance(now, &mut tokens);
        for token in tokens.drain(..).filter(|token| token.last) {
            times.push((token.at - begun[&token.id]).as_secs_f64());
            begun.insert(engine.submit(token.at, ask(256, 60)), token.at);
        }
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    (times.len() as f64 / now.as_secs_f64(), mean)
}

#[test]
fn throughput_saturates_and_then_only_the_wait_grows() {
    let params = Params::default();
    let ideal = params.ideal_calls_per_s(60.0, 256.0);
    let curve = [1, 2, 4, 8, 16, 32, 64].map(|callers| closed_loop(params, callers, 1_500));
    for pair in curve[..5].windows(2) {
        let gain = pair[1].0 / pair[0].0;
        assert!((1.2..2.0).contains(&gain), "{curve:?}");
    }
    for (throughput, _) in &curve[4..] {
        let ratio = throughput / ideal;
        assert!((0.96..1.03).contains(&ratio), "{ratio} {curve:?}");
    }
    let wait = curve[6].1 / curve[5].1;
    assert!((1.9..2.1).contains(&wait), "{curve:?}");
}

#[test]
fn a_lone_call_takes_its_steps() {
    let params = Params {
        jitter: 0.0,
        ..Params::default()
    };
    let mut engine = Engine::new(params);
    engine.submit(Duration::ZERO, ask(256, 3));
    let tokens = run(&mut engine);
    let first = params.step(1, 256);
    let times: Vec<_> = tokens.iter().map(|token| token.at).collect();
    let step = params.step(1, 0);
    assert_eq!(times, [first, first + step, first + 2 * step]);
    assert!(tokens[2].last && !tokens[1].last);
    assert_eq!(engine.next(), None);
}

#[test]
fn a_long_prompt_is_read_in_several_steps_and_others_go_on() {
    let params = Params {
        jitter: 0.0,
        prefill_tokens_max: 100,
        ..Params::default()
    };
    let mut engine = Engine::new(params);
    let short = engine.submit(Duration::ZERO, ask(10, 4));
    let mut tokens = Vec::new();
    let long = engine.submit(Duration::ZERO, ask(250, 1));
    let end = params.step(1, 10);
    engine.advance(end, &mut tokens);
    tokens.extend(run(&mut engine));
    let ids: Vec<_> = tokens.iter().map(|token| token.id).collect();
    assert_eq!(ids, [short, short, short, short, long]);
}

#[test]
fn a_shared_prefix_is_read_once() {
    let ask = |last: u64| EngineRequest {
        prompt_tokens: 330,
        blocks: (0..19).chain([last]).collect(),
        answer_tokens: 1,
    };
    let mut engine = Engine::new(Params::default());
    let mut times = Vec::new();
    for last in [100, 101] {
        let before = times
            .last()
            .map_or(Duration::ZERO, |token: &Token| token.at);
        engine.submit(before, ask(last));
        times.extend(run(&mut engine));
    }
    assert_eq!(times[0].cached_tokens, 0);
    assert_eq!(times[1].cached_tokens, 19 * 16);
    assert!(times[1].at - times[0].at < times[0].at.mul_f64(0.6));
    engine.submit(times[1].at, ask(101));
    assert_eq!(run(&mut engine)[0].cached_tokens, 20 * 16);
}

#[test]
fn a_cancelled_call_frees_its_slot_for_the_next_step() {
    let params = Params {
        slots: 1,
        ..Params::default()
    };
    let mut engine = Engine::new(params);
    let endless = engine.submit(Duration::ZERO, ask(10, 1_000_000));
    let next = engine.submit(Duration::ZERO, ask(10, 1));
    let gone = engine.submit(Duration::ZERO, ask(10, 1));
    assert_eq!((engine.load().running, engine.load().waiting), (1, 2));
    assert!(engine.cancel(endless) && engine.cancel(gone) && !engine.cancel(gone));
    let tokens = run(&mut engine);
    assert_eq!(tokens.iter().map(|t| t.id).collect::<Vec<_>>(), [next]);
}

#[test]
fn a_slow_node_is_slow_by_its_factor() {
    let time = |factor| {
        let mut engine = Engine::new(Params::default());
        engine.slow_down(factor);
        engine.submit(Duration::ZERO, ask(100, 50));
        run(&mut engine)[49].at.as_secs_f64()
    };
    let factor = time(10.0) / time(1.0);
    assert!((9.99..10.01).contains(&factor), "{factor}");
}

#[test]
fn the_same_seed_is_the_same_run_and_another_is_not() {
    let at = |seed| {
        let mut engine = Engine::new(Params {
            seed,
            ..Params::default()
        });
        for n in 0..40 {
            engine.submit(Duration::ZERO, ask(100 + n, 10 + n));
        }
        run(&mut engine)
    };
    assert_eq!(at(1), at(1));
    assert_ne!(at(1), at(2));
}

#[test]
fn steps_without_a_cost_end() {
    let mut engine = Engine::new(Params::instant(4));
    for _ in 0..9 {
        engine.submit(Duration::ZERO, ask(10, 5));
    }
    let mut tokens = Vec::new();
    engine.advance(Duration::ZERO, &mut tokens);
    assert_eq!((tokens.len(), engine.next()), (45, None));
}

/// A request, when it comes after the one before, and whether it is cancelled at once.
fn any_request() -> impl Strategy<Value = (u64, u32, u32, bool)> {
    (
        0..30_000u64,
        1..5_000u32,
        0..40u32,
        prop::bool::weighted(0.2),
    )
}

proptest! {
    #[test]
    fn every_request_gets_exactly_its_tokens_in_order(
        requests in prop::collection::vec(any_request(), 1..60), slots in 1..8usize,
    ) {
        let mut engine = Engine::new(Params { slots, ..Params::default() });
        let (mut tokens, mut wanted) = (Vec::new(), HashMap::new());
        let mut now = Duration::ZERO;
        for (pause, prompt, answer, cancelled) in requests {
            now += Duration::from_micros(pause);
            engine.advance(now, &mut tokens);
            let id = engine.submit(now, ask(prompt, answer));
            if cancelled {
                prop_assert!(engine.cancel(id));
            } else {
                wanted.insert(id, answer.max(1));
            }
            prop_assert!(engine.load().running <= slots);
        }
        tokens.extend(run(&mut engine));
        prop_assert!(tokens.windows(2).all(|pair| pair[0].at <= pair[1].at));
        let mut got: HashMap<u64, u32> = HashMap::new();
        for token in tokens {
            let count = got.entry(token.id).or_default();
            *count += 1;
            prop_assert_eq!(*count, token.number);
            prop_assert_eq!(token.last, wanted.get(&token.id) == Some(count));
        }
        prop_assert_eq!(got, wanted);
        prop_assert_eq!(engine.load(), EngineLoad::default());
    }
}
