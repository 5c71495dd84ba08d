//! What the features are.

use super::*;

#[test]
fn the_fused_score_weighs_more_with_an_encoder() {
    for (share, weight) in [(0.0, 0.2), (0.3, 0.2), (0.45, 0.6), (0.6, 1.0), (1.0, 1.0)] {
        let found = found_weight(0.2, share);
        assert!((found - weight).abs() < 1e-6, "{share}: {found}");
    }
}
