//! Parses the value of a flag that is a share, from 0 to 1.

/// A number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f32, String> {
    let share = text
        .parse()
        .ok()
        .filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "want a number from 0 to 1".to_owned())
}
