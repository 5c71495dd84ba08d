//! Words that name an operation on documents, and filler words that mean nothing to a table.

use super::ColumnOperation;
use crate::frame::is_of;

const AVERAGE: &str = "average averages averaged averaging mean avg typical typically evenly";
const SUM: &str = "sum sums summed summing add adds adding added altogether combined aggregate aggregated cumulative \
    tot";
const COUNT: &str = "count counts counted counting many tally headcount break breakdown split";
const LARGEST: &str = "largest biggest highest greatest dearest longest heaviest maximum maximal max most top tops \
    hugest superior strongest priciest steepest costliest";
const SMALLEST: &str = "smallest lowest least littlest cheapest shortest lightest minimum minimal min fewest tiniest slightest";
const NEWEST: &str = "newest latest youngest";
const OLDEST: &str = "oldest earliest";
/// Words that introduce the key of a group.
const PER: &str = "per each every by across according";
/// Words for the size of a document in general, used where no column has such a name.
const SIZE: &str = "size worth value amount volume sum figure price cost costs charge charges expense expenses outlay spend spending";
/// Verbs for what companies and people do with documents of any kind.
const HANDLING: &str = "send sends sent issue issues issued submit submits submitted raise raises raised write writes wrote written \
    give gives gave given hand hands handed draw draws drew drawn bill bills billed charge charges charged supply supplies supplied deliver delivers delivered grant grants granted award awards \
    awarded publish publishes published release releases released sign signs signed make makes made file files filed receive \
    receives received get gets got hold holds held have has had produce produces produced owe owes pay pays paid put puts";

/// Filler words: words that ask, join or are polite, and words that only introduce a condition.
const FILLER: &str = "list show give find get fetch display enumerate pull bring name return export search select need \
    want see provide retrieve print present identify collect gather extract supply look looking like tell compare \
    compared comparison versus vs difference contrast number quantity me us our we you i file filed files held hold \
    holding kept keep stored recorded registered there available exist exists currently have has had please kindly \
    just only all together grouped group broken break down split sorted sort ordered order breakdown table csv spreadsheet \
    format form prose markdown as dated due issued rated good starting started starts beginning begun ending ended ends \
    expiring expires signed supplied revised published made raised sent received paid payable booked charged costing \
    worth valued priced totalling exceeding running valid covering marked tagged listed concerning regarding placed \
    billed invoiced drawn dealing entered begins documents document records record ones one entire whole complete full \
    out away far still yet today now date dates amount amounts value values column columns except excluding without \
    excepting besides minus including type types kind kinds user clarified \
    like hand dig pick name names named called titled go through let know learn check work works working come comes came \
    got received bring brings carry carries carrying bear bears bearing totals overall figure figures money \
    worth exceed exceeds reach reaches stay stays fall falls falling run runs lapse lapses commence commences open opens \
    close closes conclude concluded effect force expire expires made makes make per different various respective \
    respectively side sides against whereas while whole collection archive system hand wish wanted asked ask could able \
    first last recent recently since until during within between above below more less than fewer greater higher lower \
    least most except save leave leaving omit omitting ignoring ignore skip skipping barring bar other rather apart aside \
    instead exclusion exception already ever never always exactly precisely approximately about roughly \
    compile assemble prepare produce generate draw round locate track hand pass put pick turn grab dump tabulate \
    itemise itemize specify lay \
    rundown overview roster inventory listing catalogue catalog lineup batch bunch selection \
    books book database db archives repository library folder drive store shelf cabinet paperwork entries \
    pertaining pertain relating relate related involving involve involved attributed belonging belong linked tied \
    associated connected drafted concluded entered carrying occurring occur happening happen originating \
    stemming coming went goes go due mature matures maturing until till onwards onward newly \
    later earlier prior after before whose whom addressed assigned allocated taken course set next against \
    and/or scheduled expected planned attributable arising lying arithmetic represent represents entail entails disaggregated entirety \
    going back calendar throughout single separately individually apiece taking take exist exists lie lies money terms gap numerous according distributed \
    spread divided owe owes owed state larger smaller bigger longer shorter cheaper dearer newer older others stand stands";

/// The operation that a word names, and whether it is an operation on days.
pub(super) fn operation(word: &str) -> Option<(ColumnOperation, bool)> {
    let all = [
        (AVERAGE, ColumnOperation::Average, false),
        (SUM, ColumnOperation::Sum, false),
        (LARGEST, ColumnOperation::Largest, false),
        (SMALLEST, ColumnOperation::Smallest, false),
        (NEWEST, ColumnOperation::Largest, true),
        (OLDEST, ColumnOperation::Smallest, true),
        (COUNT, ColumnOperation::Count, false),
    ];
    let found = all.iter().find(|(words, ..)| is_of(word, words));
    found.map(|(_, operation, is_day)| (*operation, *is_day))
}

/// Whether the words behind this one may be the key of a group.
pub(super) fn is_per(word: &str) -> bool {
    is_of(word, PER)
}

/// Whether a word stands for the size of documents, whatever column that is.
pub(super) fn is_size(word: &str) -> bool {
    is_of(word, SIZE)
}

/// Whether a word says what somebody does with documents, and not which documents they are.
pub(super) fn is_handling(word: &str) -> bool {
    is_of(word, HANDLING)
}

/// Whether a word by itself means nothing to a table.
pub(super) fn is_filler(word: &str) -> bool {
    text::stop::is_content_free(word) || is_per(word) || is_of(word, FILLER)
}

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Period {
    Year,
    Quarter,
    Month,
}

/// The unit of the calendar that a word names, and whether the word also says that documents are grouped by it.
pub(super) fn period(word: &str) -> Option<(Period, bool)> {
    Some(match word {
        "year" | "years" => (Period::Year, false),
        "yearly" | "annually" => (Period::Year, true),
        "quarter" | "quarters" => (Period::Quarter, false),
        "quarterly" => (Period::Quarter, true),
        "month" | "months" => (Period::Month, false),
        "monthly" => (Period::Month, true),
        _ => return None,
    })
}
