//! Tests of the text of LaTeX.

use crate::reader::tests::{all, body};

#[test]
fn structure_becomes_markdown_and_commands_are_removed() {
    let found = all(
        "a.tex",
        r#"\documentclass[12pt]{article}
\newcommand{\crane}{Liebherr}
\title{Crane \textbf{limits}} \author{A. Writer}
% a comment
\begin{document}
\maketitle
\section{Limits}\label{sec:l}
The \crane{} lifts 40~t,\footnote{35 t without \emph{sensor}.} 5\% less -- see~\cite{a,b} and \href{http://x}{site}. % no
Gr\"o\ss e, caf\'{e}, $x^2$ and \[ \frac{a}{b} \]

\begin{enumerate}
\item Stop
\item Check
\begin{itemize} \item rope \end{itemize}
\end{enumerate}
\subsection*{Loads}
\begin{table}[h]\caption{In tons}
\begin{tabular}{l|c}
\hline
A & \textbf{B} \\ \hline
\multicolumn{2}{c}{both} \\
\multirow{2}{*}{c} & d \\
\end{tabular}\end{table}
\begin{equation}\label{e} E = mc^2 \end{equation}
\begin{verbatim}
x = \y{}
\end{verbatim}
\begin{tikzpicture} \draw secret; \end{tikzpicture}
\begin{comment} secret \end{comment}
\input{other}
\end{document}
secret
"#
        .as_bytes(),
    );
    let d = found[0].as_ref().unwrap();
    assert_eq!(d.title, "Crane limits");
    assert_eq!(
        body(d),
        [
            "# Crane limits",
            "A. Writer",
            "# Limits",
            "The Liebherr lifts 40 t, [note 1] 5% less – see [a,b] and site. Größe, café, $x^2$ and $$\\frac{a}{b}$$",
            "[note 1] 35 t without sensor.",
            "1. Stop",
            "2. Check",
            "- rope",
            "## Loads",
            "In tons",
            "| A | B |",
            "| both |  |",
            "| c | d |",
            "$$\\label{e} E = mc^2$$",
            "x = \\y{}",
        ]
    );
    let line = d.lines.iter().find(|line| line.text == "1. Stop").unwrap();
    assert_eq!(line.number, 12);
    let reason = &found[1].as_ref().unwrap_err().reason;
    assert!(reason.to_string().contains("other"), "{reason}");
}

#[test]
fn commands_that_stand_for_themselves_and_deep_groups_end() {
    let text =
        r"\newcommand{\a}{\b\b\b}\newcommand{\b}{\a\a\a}\begin{document}Words \a{} end.".to_owned();
    assert!(body(all("a.tex", text.as_bytes())[0].as_ref().unwrap())[0].ends_with("end."));
    let deep = r"\footnote{".repeat(20_000) + "words";
    assert!(!all("a.tex", deep.as_bytes()).is_empty());
}
