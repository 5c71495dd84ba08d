//! Fits a logistic regression by Newton's method. Pure.

/// More steps than it ever takes to settle.
const STEPS: usize = 25;
/// Pulls weights towards zero, so that figures which always agree do not run away.
const PULL: f64 = 1.0;

/// Figures with what they are to tell, and how much they count.
#[derive(Debug, Clone)]
pub(super) struct Observation {
    pub(super) figures: Vec<f64>,
    pub(super) is_true: bool,
    pub(super) weight: f64,
}

/// The weights that make observations likeliest; the first is the bias.
pub(super) fn fit(observations: &[Observation]) -> Vec<f64> {
    let size = 1 + observations.first().map_or(0, |one| one.figures.len());
    let mut weights = vec![0.0; size];
    for _ in 0..STEPS {
        let mut slope: Vec<f64> = weights
            .iter()
            .enumerate()
            .map(|(at, weight)| if at == 0 { 0.0 } else { -PULL * weight })
            .collect();
        let mut bend = vec![vec![0.0; size]; size];
        for (at, row) in bend.iter_mut().enumerate() {
            row[at] = if at == 0 { 1e-6 } else { PULL };
        }
        for one in observations {
            let figures: Vec<f64> = std::iter::once(1.0)
                .chain(one.figures.iter().copied())
                .collect();
            let said = probability(&weights, &one.figures);
            let off = f64::from(u8::from(one.is_true)) - said;
            for row in 0..size {
                slope[row] += one.weight * off * figures[row];
                for column in 0..size {
                    bend[row][column] +=
                        one.weight * said * (1.0 - said) * figures[row] * figures[column];
                }
            }
        }
        let step = solved(bend, slope);
        weights
            .iter_mut()
            .zip(step)
            .for_each(|(weight, step)| *weight += step);
    }
    weights
}

/// What weights say of figures, 0 to 1.
pub(super) fn probability(weights: &[f64], figures: &[f64]) -> f64 {
    let bias = weights.first().copied().unwrap_or_default();
    let sum: f64 = weights
        .iter()
        .skip(1)
        .zip(figures)
        .map(|(weight, figure)| weight * figure)
        .sum();
    1.0 / (1.0 + (-bias - sum).exp())
}

/// The solution of a system of linear equations, by elimination.
fn solved(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for at in 0..size {
        let largest =
            (at..size).max_by(|one, other| rows[*one][at].abs().total_cmp(&rows[*other][at].abs()));
        let largest = largest.unwrap_or(at);
        rows.swap(at, largest);
        right.swap(at, largest);
        for below in at + 1..size {
            let factor = rows[below][at] / rows[at][at];
            let upper = rows[at].clone();
            rows[below]
                .iter_mut()
                .zip(&upper)
                .skip(at)
                .for_each(|(cell, upper)| *cell -= factor * upper);
            right[below] -= factor * right[at];
        }
    }
    for at in (0..size).rev() {
        let known: f64 = (at + 1..size)
            .map(|column| rows[at][column] * right[column])
            .sum();
        right[at] = (right[at] - known) / rows[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_gets_a_weight_and_what_does_not_gets_none() {
        let observation = |at: usize| Observation {
            figures: vec![(at % 2) as f64, (at % 5) as f64],
            is_true: at % 2 == 1 && at % 10 != 1,
            weight: 1.0,
        };
        let weights = fit(&(0..200).map(observation).collect::<Vec<_>>());
        assert!(weights[1] > 3.0, "{weights:?}");
        assert!(
            probability(&weights, &[1.0, 2.0]) > 0.6 && probability(&weights, &[0.0, 2.0]) < 0.1
        );
    }
}
