//! Converts the arguments of the command line into the options of the measurements.

use crate::classify::LabelledSet;
use crate::cli::{
    DatasetArg, EvalAnswersArgs, EvalClassifyArgs, EvalCollectionsArgs, EvalConditionsArgs,
    EvalGroundednessArgs, EvalLoopArgs, EvalRetrievalArgs, EvalTrajectoriesArgs,
    EvalUnanswerableArgs, LabelledSetArg, SplitArg,
};
use crate::conditions::QuestionSource;
use crate::{DatasetName, Split};

impl From<SplitArg> for Split {
    fn from(split: SplitArg) -> Split {
        match split {
            SplitArg::Dev => Split::Dev,
            SplitArg::Test => Split::Test,
            SplitArg::All => Split::All,
        }
    }
}

impl From<DatasetArg> for DatasetName {
    fn from(name: DatasetArg) -> DatasetName {
        match name {
            DatasetArg::MultihopRag => DatasetName::MultihopRag,
            DatasetArg::Scifact => DatasetName::Scifact,
            DatasetArg::Cranfield => DatasetName::Cranfield,
            DatasetArg::Cacm => DatasetName::Cacm,
        }
    }
}

impl From<LabelledSetArg> for LabelledSet {
    fn from(set: LabelledSetArg) -> LabelledSet {
        match set {
            LabelledSetArg::MultihopRag => LabelledSet::MultihopRag,
            LabelledSetArg::BreakQdmr => LabelledSet::BreakQdmr,
        }
    }
}

impl From<EvalCollectionsArgs> for crate::collections::Options {
    fn from(args: EvalCollectionsArgs) -> Self {
        Self {
            path: args.path,
            only: args.only,
            index: args.index,
            details: args.details,
        }
    }
}

impl From<EvalRetrievalArgs> for crate::retrieval::Options {
    fn from(args: EvalRetrievalArgs) -> Self {
        Self {
            dataset: args.dataset.into(),
            path: args.path,
            split: args.split.into(),
            limit: args.limit,
            cache: args.cache,
            methods: args.method,
            index: args.index,
            deep: args.deep,
            details: args.details,
        }
    }
}

impl From<EvalConditionsArgs> for crate::conditions::Options {
    fn from(args: EvalConditionsArgs) -> Self {
        Self {
            source: match args.path {
                Some(path) => QuestionSource::Sources {
                    path,
                    split: args.split.into(),
                },
                // There is one of the two.
                None => QuestionSource::Corpus(args.corpus.unwrap_or_default()),
            },
            failed: args.failed,
            report: args.report,
        }
    }
}

impl From<EvalClassifyArgs> for crate::classify::Options {
    fn from(args: EvalClassifyArgs) -> Self {
        Self {
            dataset: args.dataset.into(),
            path: args.path,
            split: args.split.into(),
            failed: args.failed,
            report: args.report,
        }
    }
}

impl From<EvalUnanswerableArgs> for crate::unanswerable::Options {
    fn from(args: EvalUnanswerableArgs) -> Self {
        Self {
            path: args.path,
            split: args.split.into(),
            index: args.index,
            failed: args.failed,
            report: args.report,
        }
    }
}

impl From<EvalLoopArgs> for crate::rounds::Options {
    fn from(args: EvalLoopArgs) -> Self {
        Self {
            path: args.path,
            split: args.split.into(),
            limit: args.limit,
            index: args.index,
            report: args.report,
        }
    }
}

impl From<EvalAnswersArgs> for crate::answers::Options {
    fn from(args: EvalAnswersArgs) -> Self {
        Self {
            path: args.path,
            systems: args.systems,
            split: args.split.into(),
            limit: args.limit,
            taken_away: args.taken_away,
            calls: args.calls,
            is_replay: args.replay,
            index: args.index,
            details: args.details,
            report: args.report,
        }
    }
}

impl From<EvalTrajectoriesArgs> for crate::trajectories::Options {
    fn from(args: EvalTrajectoriesArgs) -> Self {
        Self {
            name: args.name,
            path: args.path,
        }
    }
}

impl From<EvalGroundednessArgs> for crate::groundedness::Options {
    fn from(args: EvalGroundednessArgs) -> Self {
        Self {
            path: args.path,
            fit: args.fit,
            failed: args.failed,
            report: args.report,
        }
    }
}
