//! Enums whose variants are words: on the wire, in metric labels and on the command line. So no word may change: stored
//! messages, dashboards and scripts have it.

/// Declares an enum with the word of each variant, which is its name in JSON, too. Derived from this are the lists of
/// all variants and of their words. Of an enum whose variants carry data there are only the words.
macro_rules! words {
    (
        $(#[$about:meta])*
        pub enum $name:ident { $($(#[$note:meta])* $variant:ident = $word:literal,)+ }
    ) => {
        $(#[$about])*
        pub enum $name { $($(#[$note])* #[serde(rename = $word)] $variant,)+ }

        impl $name {
            /// Every one, in the order of declaration: counters are registered at 0 for each, and the page of metrics is
            /// checked against what is registered.
            pub const ALL: [$name; [$($word),+].len()] = [$($name::$variant),+];
            /// The word of each, for the same.
            pub const WORDS: [&'static str; $name::ALL.len()] = [$($word),+];

            /// Its word.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }
        }
    };
    (
        $(#[$about:meta])*
        pub enum $name:ident {
            $($(#[$note:meta])* $variant:ident $({ $($fields:tt)* })? = $word:literal,)+
        }
    ) => {
        $(#[$about])*
        pub enum $name { $($(#[$note])* #[serde(rename = $word)] $variant $({ $($fields)* })?,)+ }

        impl $name {
            /// The word of each, in the order of declaration: counters are registered at 0 for each, and the page of
            /// metrics is checked against what is registered.
            pub const WORDS: [&'static str; [$($word),+].len()] = [$($word),+];

            /// Its word.
            pub const fn as_str(&self) -> &'static str {
                match self { $($name::$variant { .. } => $word,)+ }
            }
        }
    };
}
