/** `parley feedback import` and `export`: files of posts, and archives of everything. */
import { extname } from 'node:path';
import type { FeedbackServices } from '@parley/feedback';
import type { Importer, ImportReport } from '@parley/feedback/transfer';
import type { ServedToolset } from '../start/served-toolset.ts';
import type { Config } from '../config.ts';
import { loadConfig, UsageError } from '../config.ts';
import { requireAll } from './feedback-access.ts';
import type { Command } from './main.ts';
import type { MaybeTerminal } from './progress-line.ts';
import { createProgressLine } from './progress-line.ts';
import { withCaller } from './session.ts';
import { onSignal } from './signals.ts';
import { intoNewFile, writeToStdout } from './written-file.ts';

export const IMPORT_FLAGS = { board: 'text', 'create-boards': 'switch', 'dry-run': 'switch' } as const;

export const EXPORT_FLAGS = { 'posts-csv': 'switch' } as const;

const IMPORT_USAGE =
  'Usage: parley feedback import FILE [--board SLUG] [--create-boards] [--dry-run] [--json]';
const EXPORT_USAGE = 'Usage: parley feedback export [FILE] [--posts-csv] [--json]';

const INTERRUPTED = 130;

/** Imports a file; returns 1 when a row could not be imported. */
export const importFeedback: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: IMPORT_FLAGS, toolsets });
  const [, path, ...rest] = positionals;
  if (path === undefined || rest.length > 0) throw new UsageError(IMPORT_USAGE);
  const { importFile } = await import('@parley/feedback/transfer');
  return withServices(config, toolsets, async (services, importer) => {
    const stop = new AbortController();
    const signals = onSignal(() => stop.abort());
    const watch = config.json ? undefined : watchImport(process.stderr);
    const report = await importFile(services, importer, path, {
      board: typeof extras.board === 'string' ? extras.board : undefined,
      createBoards: extras['create-boards'] === true,
      isDryRun: extras['dry-run'] === true,
      signal: stop.signal,
      observer: watch,
    }).finally(signals.forget);
    watch?.end();
    process.stdout.write(config.json ? `${JSON.stringify(report)}\n` : summaryOf(report));
    if (report.isStopped) return INTERRUPTED;
    return report.failed > 0 ? 1 : 0;
  });
};

/** Exports everything, or the posts as CSV, to a file that only its owner can read, or to stdout. */
export const exportFeedback: Command = async (args, toolsets) => {
  const { config, positionals, extras } = loadConfig(args, { extra: EXPORT_FLAGS, toolsets });
  const [, path, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(EXPORT_USAGE);
  const isCsv = extras['posts-csv'] === true;
  if (path !== undefined) requireEnding(path, isCsv);
  const { exportArchive, exportPostsCsv } = await import('@parley/feedback/transfer');
  const run = isCsv ? exportPostsCsv : exportArchive;
  return withServices(config, toolsets, async (services, { actor }) => {
    const report =
      path === undefined
        ? await run(services, actor, writeToStdout)
        : await intoNewFile(path, (write) => run(services, actor, write));
    const text = `Exported ${report.posts} posts${path === undefined ? '' : ` to ${path}`}. The file holds e-mail addresses: keep it safe.\n`;
    if (path === undefined) process.stderr.write(text);
    else process.stdout.write(config.json ? `${JSON.stringify({ file: path, ...report })}\n` : text);
    return 0;
  });
};

function withServices(
  config: Config,
  toolsets: readonly ServedToolset[],
  work: (services: FeedbackServices, importer: Importer) => Promise<number>,
): Promise<number> {
  return withCaller(config, toolsets, async (host, caller) => {
    requireAll(caller);
    const { createFeedbackServices } = await import('@parley/feedback');
    const services = createFeedbackServices(host);
    try {
      return await work(services, { caller, actor: await services.actor(caller) });
    } finally {
      await services.close();
    }
  });
}

const LINES_WITHOUT_TERMINAL = 10;

/** Shows a bar on a terminal and some lines elsewhere; faults stand between them. */
function watchImport(output: MaybeTerminal) {
  const line = createProgressLine(output);
  let shownTenths = 0;
  return {
    progress(done: number, total: number) {
      const tenths = total === 0 ? 0 : Math.floor((done / total) * LINES_WITHOUT_TERMINAL);
      if (output.isTTY !== true && tenths === shownTenths) return;
      shownTenths = tenths;
      line.report(done, total, output.isTTY === true ? `${done} of ${total} rows` : undefined);
    },
    fault({ row, message }: { row: number; message: string }) {
      line.end();
      output.write(`row ${row}: ${message}\n`);
    },
    end: () => line.end(),
  };
}

/** What came of it, in a few lines. */
export function summaryOf(report: ImportReport): string {
  const { rows, imported, skipped, failed, faults, ignoredColumns, newBoards, newTags, isDryRun } = report;
  const unit = report.kind === 'archive' ? 'lines' : 'rows';
  const lines: string[] = [];
  if (ignoredColumns.length > 0) lines.push(`Ignored columns: ${ignoredColumns.join(', ')}`);
  const verb = isDryRun ? 'Would make' : 'Made';
  if (newBoards.length > 0) lines.push(`${verb} boards: ${newBoards.join(', ')}`);
  if (newTags.length > 0) lines.push(`${verb} tags: ${newTags.join(', ')}`);
  const toldRows = new Set(faults.map(({ row }) => row)).size;
  if (failed > toldRows) lines.push(`${failed - toldRows} more rows have faults that are not shown.`);
  const before = skipped === 0 ? '' : `, ${skipped} were imported before`;
  const bad = failed === 0 ? '' : `; ${failed} ${isDryRun ? 'cannot' : 'failed'}`;
  if (isDryRun)
    lines.push(
      `Dry run: ${imported} of ${rows} ${unit} can be imported${before}${bad}. Nothing was written.`,
    );
  else if (report.isStopped)
    lines.push(`Stopped after ${imported} ${unit}${before}${bad}. Run the same command again to go on.`);
  else lines.push(`Imported ${imported} of ${rows} ${unit}${before}${bad}.`);
  return `${lines.join('\n')}\n`;
}

function requireEnding(path: string, isCsv: boolean): void {
  const wanted = isCsv ? '.csv' : '.jsonl';
  if (extname(path).toLowerCase() === wanted) return;
  const what = isCsv ? 'The CSV of posts' : 'An archive';
  throw new UsageError(`${what} must have a name that ends in ${wanted} (got "${path}"). ${EXPORT_USAGE}`);
}
