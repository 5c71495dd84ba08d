//! What the command line says, as measurements take it.

use crate::cli::{
    CorpusSide, DatasetArg, EvalClassify, EvalConditions, EvalGroundedness, EvalLoop, EvalModes,
    EvalRetrieval, EvalTrajectories, EvalUnanswerable, LabelledSetArg, SplitArg,
};
use eval::classify::LabelledSet;
use eval::{DatasetName, Split};

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

impl From<CorpusSide> for conditions::Half {
    fn from(side: CorpusSide) -> conditions::Half {
        match side {
            CorpusSide::Dev => conditions::Half::Dev,
            CorpusSide::Test => conditions::Half::Test,
            CorpusSide::Extra => conditions::Half::Extra,
            CorpusSide::Third => conditions::Half::Third,
            CorpusSide::Fourth => conditions::Half::Fourth,
        }
    }
}

impl From<EvalRetrieval> for eval::retrieval::Options {
    fn from(args: EvalRetrieval) -> Self {
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

impl From<EvalConditions> for eval::conditions::Options {
    fn from(args: EvalConditions) -> Self {
        Self {
            side: args.side.into(),
            documents: args.documents,
            path: args.path,
            split: args.split.into(),
            failed: args.failed,
            report: args.report,
        }
    }
}

impl From<EvalClassify> for eval::classify::Options {
    fn from(args: EvalClassify) -> Self {
        Self {
            dataset: args.dataset.into(),
            path: args.path,
            split: args.split.into(),
            failed: args.failed,
            report: args.report,
        }
    }
}

impl From<EvalUnanswerable> for eval::unanswerable::Options {
    fn from(args: EvalUnanswerable) -> Self {
        Self {
            path: args.path,
            split: args.split.into(),
            index: args.index,
            failed: args.failed,
            report: args.report,
        }
    }
}

impl From<EvalLoop> for eval::rounds::Options {
    fn from(args: EvalLoop) -> Self {
        Self {
            path: args.path,
            split: args.split.into(),
            limit: args.limit,
            index: args.index,
            report: args.report,
        }
    }
}

impl From<EvalModes> for eval::modes::Options {
    fn from(args: EvalModes) -> Self {
        Self {
            path: args.path,
            split: args.split.into(),
            limit: args.limit,
            index: args.index,
            details: args.details,
        }
    }
}

impl From<EvalTrajectories> for eval::trajectories::Options {
    fn from(args: EvalTrajectories) -> Self {
        Self {
            name: args.name,
            path: args.path,
        }
    }
}

impl From<EvalGroundedness> for eval::groundedness::Options {
    fn from(args: EvalGroundedness) -> Self {
        Self {
            path: args.path,
            fit: args.fit,
            failed: args.failed,
            report: args.report,
        }
    }
}
