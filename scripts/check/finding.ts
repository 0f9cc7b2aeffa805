/** Owns the shape in which every check reports what it saw. */

/** One broken rule at one place. */
export interface Finding {
  rule: string;
  file: string;
  line: number;
  message: string;
}

/** What a part of the check returns: notes are always printed, findings make it fail. */
export interface Report {
  findings: Finding[];
  notes: string[];
}

/** Writes a finding as one greppable line. */
export function formatFinding(finding: Finding): string {
  return `${finding.file}:${finding.line} ${finding.rule}: ${finding.message}`;
}
