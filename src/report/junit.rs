//! Findings as JUnit XML: a test case for each file that was checked.

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::{human, summary};
use crate::diag::{Diagnostic, Severity};
use crate::source::SourceMap;

/// One JUnit document. A file fails with its errors, and with its warnings where they are denied; what else is said of it is
/// its output.
///
/// # Errors
/// None that is known: the XML is written into memory.
pub fn junit(sources: &SourceMap, diagnostics: &[Diagnostic], deny_warnings: bool) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new("segue check");
    for file in sources.files() {
        let own = diagnostics.iter().filter(|found| found.primary.span.file == file).cloned();
        let fails = |found: &Diagnostic| found.is_error() || (deny_warnings && found.severity == Severity::Warning);
        let (failures, others): (Vec<_>, Vec<_>) = own.partition(fails);
        let status = match failures.first() {
            None => TestCaseStatus::success(),
            Some(first) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                let message = if failures.len() == 1 { first.message.clone() } else { summary(&failures) };
                status.set_message(message).set_type(first.code.slug());
                status.set_description(human(sources, &failures, false).trim_end());
                status
            }
        };
        suite.add_test_case(case(sources.name(file), None, status, &human(sources, &others, false)));
    }
    document("segue check", suite)
}

/// A test case: of a file, or of something in it.
pub(crate) fn case(file: &str, name: Option<&str>, status: TestCaseStatus, output: &str) -> TestCase {
    let (folder, last) = file.rsplit_once('/').unwrap_or((".", file));
    let mut case = TestCase::new(name.unwrap_or(last), status);
    case.set_classname(if name.is_some() { file } else { folder });
    if !output.is_empty() {
        case.set_system_out(output.trim_end());
    }
    case
}

/// The document of one suite.
pub(crate) fn document(name: &str, suite: TestSuite) -> Result<String, SerializeError> {
    let mut report = Report::new(name);
    report.add_test_suite(suite);
    report.to_string()
}
