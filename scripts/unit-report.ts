/** Owns what the runner of the unit tests wrote about them. */
import { readFile } from 'node:fs/promises';

/** How many tests there were, and the files whose tests did not all pass. */
export interface UnitReport {
  readonly passed: number;
  readonly failed: number;
  readonly failedFiles: readonly string[];
}

/** Reads a report; one that is not there counts as a failure of no file. */
export async function readUnitReport(path: string): Promise<UnitReport> {
  try {
    const report = JSON.parse(await readFile(path, 'utf8')) as {
      readonly numPassedTests: number;
      readonly numFailedTests: number;
      readonly testResults: readonly { readonly name: string; readonly status: string }[];
    };
    const failedFiles = report.testResults
      .filter(({ status }) => status !== 'passed')
      .map(({ name }) => name);
    return { passed: report.numPassedTests, failed: report.numFailedTests, failedFiles };
  } catch {
    return { passed: 0, failed: 1, failedFiles: [] };
  }
}
