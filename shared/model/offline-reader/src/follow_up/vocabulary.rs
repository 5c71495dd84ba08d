//! The closed lists of words that the rules for follow-up questions use.

use std::collections::HashSet;
use std::sync::LazyLock;
use text::months;

/// Functions that tell whether a word is in a list.
macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident: $words:literal;)*) => {$(
        $(#[$doc])*
        pub(super) fn $name(word: &str) -> bool {
            static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| $words.split_whitespace().collect());
            WORDS.contains(word)
        }
    )*};
}

lists! {
    /// Words of grammar: they neither open nor make up a name.
    is_grammar: "
        a about after against all also although am among an and another any anything are as aside at be
        because been before being below besides between both but by can could did do does doing don done
        during each either else even ever every few for from further furthermore had has have having he
        hence her here hers him his how however i i'm if in indeed into is it its later least let many may
        maybe me meanwhile might more moreover most much must my never next no nor not now of off often on
        once one only onto or other others our out over own per perhaps please rather same several shall she
        should since so some something soon still such than thank thanks that the their theirs them then
        there therefore these they this those though through thus to today together too towards two under
        unless unlike until up upon us very was we well were what whatever when where whereas whether which
        while who whom whose why will with within without would yes yet you your
    ";
    is_the: "
        the a an
    ";
    /// Verbs that open a yes-or-no question.
    is_auxiliary: "
        am are can could did do does had has have is may might must shall should was were will would
    ";
    is_question_word: "
        how what when where which who whom whose why
    ";
    is_preposition: "
        about after against among around at before between by during for from in into of off on over per
        since than through to towards under until upon with within without
    ";
    /// Nouns for many people.
    is_group_head: "
        band bank club companies company duo firm group organisation organization party team trio
    ";
    /// Nouns for what is made and bears a name.
    is_work_head: "
        album albums book books cd episode episodes film films game games movie movies musical novel play
        poem program record series show single singles song songs soundtrack track video work
    ";
    /// Other nouns that point back when they follow "the" or "this".
    is_thing_head: "
        accident agreement app application award battle building campaign car case category change city
        college contract course deal device document election event feature feud fight hospital idea
        invention invoice law lawsuit letter machine manual match medal merger order part period place plan
        policy position product programme project proposal race report request role school season service
        site software standard statement storyline suit system team test theory tool tour tournament town
        transistor trial unit university vehicle version village war warranty win
    ";
    /// Past forms that do not end in "-ed", and words that often stand between a name and its verb.
    is_past: "
        became began bought brought built came chose drew fell felt fought found gave got grew held kept
        knew later led left lost made met never now often paid ran rose said sang saw says sent set sold
        spent spoke stood then thought told took went won wrote
    ";
    /// Words that may follow a bare "this" or "that": verbs and adjectives of short questions.
    is_predicate: "
        affect become begin cause come do effect end fail famous feel get go good happen hard hit important
        interesting lead like make mean necessary normal occur official one popular possible received
        recorded released successful take true turn work working
    ";
    is_female: "
        alice amy angela anna anne audra barbara betty carol catherine charlotte christina clara diana donna
        dorothy eleanor elena elizabeth ella emily emma eva faith frances grace hannah helen ines irene jane
        janet jennifer jessica joan julia karen kate katherine kelly laura linda lisa lucy margaret maria
        marie martha mary mia michelle miriam nancy nina olga olivia pamela patricia paula rachel rebecca
        rosa ruth sandra sara sarah sofia sophie susan teresa victoria wendy
    ";
    is_male: "
        adam alan albert alexander alfred andrew anthony arthur ben benjamin bill bob brian bruce carl
        charles chris christopher daniel david dennis donald edward emil eric ernest eugene frank fred gary
        george gerald harold harry henry howard hugo ivan jack jacob james jason jeff jerry jim joe john
        jonas jose joseph joshua karl keith kenneth kevin larry leo louis luis lukas mark martin matthew max
        michael mike nathan nicholas oliver oscar patrick paul peter philip ralph raymond richard robert
        roger ronald ryan sam samuel scott sean simon stephen steve steven stuart terry thomas tim timothy
        tom victor vincent walter william
    ";
    /// Words that make a name that of a company, a club or an office.
    is_organised: "
        academy ag agency association band bank club college commission committee company corp corporation
        council court department district foundation gmbh government group hospital inc institute league
        limited llc ltd magazine ministry museum office orchestra party records school society studios
        university
    ";
    /// Days of the week.
    is_weekday: "friday monday saturday sunday thursday tuesday wednesday";
}

/// Whether a word is a part of a date, which is no name.
pub(super) fn is_calendar(word: &str) -> bool {
    months::ENGLISH.contains(&word) || is_weekday(word)
}

/// Whether a word is a noun that points back when it follows "the" or "this".
pub(super) fn is_head(word: &str) -> bool {
    is_group_head(word) || is_work_head(word) || is_thing_head(word)
}
