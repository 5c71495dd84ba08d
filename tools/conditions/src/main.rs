//! Writes a corpus to a folder: `argosy-conditions dev|test|extra|third|fourth|fifth|sixth|seventh FOLDER
//! [DOCUMENTS [SEED]]`.

use argosy_conditions::{Corpus, CorpusPlan, Half};
use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: argosy-conditions dev|test|extra|third|fourth|fifth|sixth|seventh \
                     FOLDER [DOCUMENTS [SEED]]";
const DOCUMENTS: usize = 5_000;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let Some((plan, folder)) = plan(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let written = Corpus::generate(plan).and_then(|corpus| {
        corpus.write(Path::new(folder))?;
        Ok(corpus.summary())
    });
    match written {
        Ok(summary) => {
            let said = serde_json::to_string_pretty(&summary).unwrap_or_default();
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn plan<'a>(arguments: &[&'a str]) -> Option<(CorpusPlan, &'a str)> {
    let (half, folder, rest) = match arguments {
        [half, folder, rest @ ..] if rest.len() <= 2 => (Half::parse(half)?, *folder, rest),
        _ => return None,
    };
    let documents = rest.first().map_or(Ok(DOCUMENTS), |n| n.parse()).ok()?;
    let mut plan = CorpusPlan::new(half, documents);
    if let Some(seed) = rest.get(1) {
        plan.seed = seed.parse().ok()?;
    }
    Some((plan, folder))
}
