//! Measures whether predicted probabilities match the observed shares. Pure.

/// How many bins of equal width the expected error is taken over.
const BINS: usize = 10;

/// The expected calibration error of probabilities with what came true: the mean distance between what was said and what
/// came true, over bins of a tenth.
pub(super) fn expected_error(pairs: &[(f64, bool)]) -> f64 {
    let mut bins = [0.0; BINS];
    for (said, is_true) in pairs {
        let bin = ((said * BINS as f64) as usize).min(BINS - 1);
        bins[bin] += said - f64::from(u8::from(*is_true));
    }
    bins.iter().map(|bin| bin.abs()).sum::<f64>() / pairs.len().max(1) as f64
}

/// The share of the squared error of a constant, the base rate, that probabilities save: 0 for none, 1 for all of it.
pub(super) fn brier_skill(pairs: &[(f64, bool)]) -> f64 {
    let count = pairs.len().max(1) as f64;
    let came = |is_true: bool| f64::from(u8::from(is_true));
    let base = pairs.iter().map(|(_, is_true)| came(*is_true)).sum::<f64>() / count;
    let error = pairs
        .iter()
        .map(|(said, is_true)| (said - came(*is_true)).powi(2))
        .sum::<f64>()
        / count;
    match base * (1.0 - base) {
        0.0 => 0.0,
        constant => 1.0 - error / constant,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_has_no_skill_and_no_error() {
        let pairs: Vec<(f64, bool)> = (0..10).map(|at| (0.3, at < 3)).collect();
        assert!(expected_error(&pairs).abs() < 1e-9 && brier_skill(&pairs).abs() < 1e-9);
        let sure = [(1.0, true), (0.0, false)];
        assert!((brier_skill(&sure) - 1.0).abs() < 1e-9);
        let wrong = [(1.0, false), (0.0, true)];
        assert!((expected_error(&wrong) - 1.0).abs() < 1e-9 && brier_skill(&wrong) < 0.0);
    }
}
