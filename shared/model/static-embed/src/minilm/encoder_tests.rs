//! Tests of the encoder against the same arithmetic written plainly, on small random weights.

use super::*;

const TINY: Shape = Shape {
    width: 16,
    inner: 24,
    layers: 2,
    heads: 4,
};
const PIECES: usize = 30;

/// Every tensor of a model of this shape.
fn names(shape: Shape) -> Vec<(String, Vec<usize>)> {
    let (width, inner) = (shape.width, shape.inner);
    let mut names = vec![
        (
            "embeddings.word_embeddings.weight".to_owned(),
            vec![PIECES, width],
        ),
        (
            "embeddings.position_embeddings.weight".to_owned(),
            vec![256, width],
        ),
        (
            "embeddings.token_type_embeddings.weight".to_owned(),
            vec![2, width],
        ),
    ];
    let mut pair = |name: String, weight: Vec<usize>| {
        names.push((format!("{name}.bias"), vec![weight[0]]));
        names.push((format!("{name}.weight"), weight));
    };
    pair("embeddings.LayerNorm".to_owned(), vec![width]);
    for layer in 0..shape.layers {
        for part in [
            "attention.self.query",
            "attention.self.key",
            "attention.self.value",
        ] {
            pair(format!("encoder.layer.{layer}.{part}"), vec![width, width]);
        }
        for (part, weight) in [
            ("attention.output.dense", vec![width, width]),
            ("attention.output.LayerNorm", vec![width]),
            ("intermediate.dense", vec![inner, width]),
            ("output.dense", vec![width, inner]),
            ("output.LayerNorm", vec![width]),
        ] {
            pair(format!("encoder.layer.{layer}.{part}"), weight);
        }
    }
    names
}

/// Numbers between -0.5 and 0.5 that look random and are the same every time.
fn random(count: usize, seed: &mut u64) -> Vec<f32> {
    let mut next = || {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*seed >> 40) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

fn tiny(without: &str) -> Weights {
    let (mut weights, mut seed) = (Weights::default(), 7);
    for (name, shape) in names(TINY) {
        let numbers = random(shape.iter().product(), &mut seed);
        if name != without {
            weights.insert(&name, &shape, &numbers);
        }
    }
    weights
}

/// The encoder written as the paper has it, one number after the other.
struct Plain(Weights);

type Rows = Vec<Vec<f32>>;

impl Plain {
    fn get(&self, name: &str) -> Rows {
        let one = self.0.get(name, &[0]);
        let tensor = one.or_else(|_| self.0.get(name, &[0, 0])).unwrap();
        let width = *tensor.shape().last().unwrap();
        numbers(&tensor)
            .unwrap()
            .chunks(width)
            .map(<[f32]>::to_vec)
            .collect()
    }

    fn dense(&self, x: &Rows, name: &str) -> Rows {
        let (weight, bias) = (
            self.get(&format!("{name}.weight")),
            self.get(&format!("{name}.bias")),
        );
        let out = |row: &Vec<f32>| {
            let one = |(w, b): (&Vec<f32>, &f32)| dot(row, w) + b;
            weight.iter().zip(&bias[0]).map(one).collect()
        };
        x.iter().map(out).collect()
    }

    fn norm(&self, x: &Rows, name: &str) -> Rows {
        let (weight, bias) = (
            self.get(&format!("{name}.weight")),
            self.get(&format!("{name}.bias")),
        );
        let out = |row: &Vec<f32>| {
            let mean = row.iter().sum::<f32>() / row.len() as f32;
            let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f32>() / row.len() as f32;
            let scaled = row.iter().map(|v| (v - mean) / (variance + 1e-12).sqrt());
            scaled
                .zip(weight[0].iter().zip(&bias[0]))
                .map(|(v, (w, b))| v * w + b)
                .collect()
        };
        x.iter().map(out).collect()
    }

    fn attention(&self, x: &Rows, name: &str) -> Rows {
        let [q, k, v] =
            ["query", "key", "value"].map(|part| self.dense(x, &format!("{name}.{part}")));
        let size = TINY.width / TINY.heads;
        let mut out = vec![vec![0.0; TINY.width]; x.len()];
        for head in 0..TINY.heads {
            let part = head * size..(head + 1) * size;
            for (row, query) in out.iter_mut().zip(&q) {
                let score = |key: &Vec<f32>| {
                    (dot(&query[part.clone()], &key[part.clone()]) / (size as f32).sqrt()).exp()
                };
                let scores: Vec<f32> = k.iter().map(score).collect();
                let total: f32 = scores.iter().sum();
                for (score, value) in scores.iter().zip(&v) {
                    for at in part.clone() {
                        row[at] += score / total * value[at];
                    }
                }
            }
        }
        out
    }

    fn vector(&self, ids: &[u32]) -> Vec<f32> {
        let [words, places, kinds] = ["word", "position", "token_type"]
            .map(|name| self.get(&format!("embeddings.{name}_embeddings.weight")));
        let rows = ids.iter().zip(&places);
        let x = rows
            .map(|(id, place)| plus(&plus(&words[*id as usize], place), &kinds[0]))
            .collect();
        let mut x = self.norm(&x, "embeddings.LayerNorm");
        for layer in (0..TINY.layers).map(|layer| format!("encoder.layer.{layer}")) {
            let mixed = self.attention(&x, &format!("{layer}.attention.self"));
            let mixed = self.dense(&mixed, &format!("{layer}.attention.output.dense"));
            x = self.norm(
                &sum(&x, &mixed),
                &format!("{layer}.attention.output.LayerNorm"),
            );
            let mut middle = self.dense(&x, &format!("{layer}.intermediate.dense"));
            middle.iter_mut().flatten().for_each(|v| *v = gelu(*v));
            let out = self.dense(&middle, &format!("{layer}.output.dense"));
            x = self.norm(&sum(&x, &out), &format!("{layer}.output.LayerNorm"));
        }
        let mut mean = x
            .iter()
            .fold(vec![0.0; TINY.width], |sum, row| plus(&sum, row));
        llm::embed::normalise(&mut mean);
        mean
    }
}

fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(l, r)| l * r).sum()
}

fn plus(left: &[f32], right: &[f32]) -> Vec<f32> {
    left.iter().zip(right).map(|(l, r)| l + r).collect()
}

fn sum(left: &Rows, right: &Rows) -> Rows {
    left.iter().zip(right).map(|(l, r)| plus(l, r)).collect()
}

/// x times the normal distribution up to x, whose integral is summed in small steps.
fn gelu(x: f32) -> f32 {
    let (x, steps) = (f64::from(x), 200);
    let step = x / f64::from(steps);
    let density = |at: f64| (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let area: f64 = (0..steps)
        .map(|n| density((f64::from(n) + 0.5) * step) * step)
        .sum();
    (x * (0.5 + area)) as f32
}

#[test]
fn the_graph_computes_what_the_plain_code_does() {
    let (encoder, plain) = (Encoder::new(tiny(""), TINY).unwrap(), Plain(tiny("")));
    // One of each length, the borders between them, and short ones with much filling.
    for length in [1, 2, 5, 32, 33, 100, 256] {
        let ids: Vec<u32> = (0..length)
            .map(|n| (n * 7 + length) % PIECES as u32)
            .collect();
        let (have, want) = (encoder.vector(&ids).unwrap(), plain.vector(&ids));
        for (have, want) in have.iter().zip(&want) {
            assert!(
                (have - want).abs() < 1e-5,
                "{length} pieces: {have} is not {want}"
            );
        }
    }
}

#[test]
fn long_texts_are_cut() {
    let encoder = Encoder::new(tiny(""), TINY).unwrap();
    let ids: Vec<u32> = (0..300).map(|n| n % PIECES as u32).collect();
    assert_eq!(encoder.vector(&ids), encoder.vector(&ids[..256]));
}

#[test]
fn a_piece_beyond_the_words_is_named() {
    let encoder = Encoder::new(tiny(""), TINY).unwrap();
    let why = encoder.vector(&[3, 30]).unwrap_err();
    assert_eq!(why, "it has no piece `30`");
}

#[test]
fn every_missing_tensor_is_named() {
    for (name, _) in names(TINY) {
        let why = Encoder::new(tiny(&name), TINY).unwrap_err();
        assert!(why.contains(&name), "{why}");
    }
}
