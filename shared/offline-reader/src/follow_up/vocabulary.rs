//! The closed lists that the rules go by, each sorted.

/// Words of grammar: they neither open nor make up a name.
const GRAMMAR: &str = "a about after against all also although am among an and another any anything are as aside at be because been \
before being below besides between both but by can could did do does doing don done during each either else even ever every \
few for from further furthermore had has have having he hence her here hers him his how however i i'm if in indeed into is it its \
later least let many may maybe me meanwhile might more moreover most much must my never next no nor not now of off often on once \
one only onto or other others our out over own per perhaps please rather same several shall she should since so some \
something soon still such than thank thanks that the their theirs them then there therefore these they this those though through \
thus to today together too towards two under unless unlike until up upon us very was we well were what whatever when where \
whereas whether which while who whom whose why will with within without would yes yet you your";

/// Verbs that open a yes-or-no question.
const AUXILIARIES: &str =
    "am are can could did do does had has have is may might must shall should was were will would";

const QUESTION_WORDS: &str = "how what when where which who whom whose why";

const PREPOSITIONS: &str = "about after against among around at before between by during for from in into of off on over per since than through to towards under until upon with within without";

/// Nouns for many people.
const GROUP_HEADS: &str =
    "band bank club companies company duo firm group organisation organization party team trio";

/// Nouns for what is made and bears a name.
const WORK_HEADS: &str = "album albums book books cd episode episodes film films game games movie movies musical novel play poem program record series show single singles song songs soundtrack track video work";

/// Other nouns that point back when they follow "the" or "this".
const THING_HEADS: &str = "accident agreement app application award battle building campaign car case category change city college contract \
course deal device document election event feature feud fight hospital idea invention invoice law lawsuit letter machine manual match medal merger order part period \
place plan policy position product programme project proposal race report request role school season service site software standard statement storyline suit system \
team test theory tool tour town tournament transistor trial unit university vehicle version village war warranty win";

/// Words that may follow a bare "this" or "that": verbs and adjectives of short questions.
const PREDICATES: &str = "affect become begin cause come do effect end fail famous feel get go good happen hard hit important interesting lead like make mean necessary normal occur official one \
popular possible recorded released received successful take true turn work working";

const FEMALE: &str = "alice amy angela anna anne audra barbara betty carol catherine charlotte christina clara diana donna dorothy eleanor elena elizabeth ella emily emma eva faith frances grace \
hannah helen ines irene jane janet jennifer jessica joan julia karen kate katherine kelly laura linda lisa lucy margaret maria marie martha mary mia michelle miriam nancy nina olga olivia pamela patricia \
paula rachel rebecca rosa ruth sandra sara sarah sofia sophie susan teresa victoria wendy";

const MALE: &str = "adam alan albert alexander alfred andrew anthony arthur ben benjamin bill bob brian bruce carl charles chris christopher daniel david dennis donald edward emil eric ernest eugene frank fred \
gary george gerald harold harry henry howard hugo ivan jack jacob james jason jeff jerry jim joe john jonas jose joseph joshua karl keith kenneth kevin larry leo louis luis lukas mark martin matthew max michael mike nathan \
nicholas oliver oscar patrick paul peter philip ralph raymond richard robert roger ronald ryan sam samuel scott sean simon stephen steve steven stuart terry thomas tim timothy tom victor vincent walter william";

/// Words that make a name that of a company, a club or an office.
const ORGANISED: &str = "academy ag agency association bank band club college commission committee company corp corporation council court department district foundation \
gmbh government group hospital inc institute league limited llc ltd magazine ministry museum office orchestra party records school society studios university";

/// Parts of dates, which are no names.
const CALENDAR: &str = "april august december february friday january july june march may monday november october saturday september sunday thursday tuesday wednesday";

fn holds(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|w| w == word)
}

macro_rules! lists {
    ($($name:ident: $list:ident;)*) => {$(
        pub(super) fn $name(word: &str) -> bool {
            holds($list, word)
        }
    )*};
}

lists! {
    is_grammar: GRAMMAR;
    is_auxiliary: AUXILIARIES;
    is_question_word: QUESTION_WORDS;
    is_preposition: PREPOSITIONS;
    is_group_head: GROUP_HEADS;
    is_work_head: WORK_HEADS;
    is_thing_head: THING_HEADS;
    is_predicate: PREDICATES;
    is_female: FEMALE;
    is_male: MALE;
    is_organised: ORGANISED;
    is_calendar: CALENDAR;
}

/// Whether a word is a noun that points back when it follows "the" or "this".
pub(super) fn is_head(word: &str) -> bool {
    is_group_head(word) || is_work_head(word) || is_thing_head(word)
}
