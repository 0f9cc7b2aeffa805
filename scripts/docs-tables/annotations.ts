/** Owns the tables about annotations: tools, documents, messages of the browser link, limits. */
import { annotationsToolset, DEFAULT_ANNOTATION_LIMITS } from '@parley/annotations';
import type { AnnotationLimits } from '@parley/annotations';
import { code, markdownTable, readable } from './markdown.ts';

// Names every limit, so a new one without words does not compile.
const limits: Record<keyof AnnotationLimits, string> = {
  messageBytes: 'one message of a page',
  messagesPerSecond: 'messages of one session per second',
  messageBurst: 'messages of one session that may come at once',
  openNotesPerSession: 'notes of one session that are not closed',
  repliesPerNote: 'replies of one note; then it takes only the words that close it',
  threadCharacters: 'characters of all replies of one note',
  sessionsPerPageToken: 'pages that are connected with one page token',
  screenshotBytes: 'one screenshot',
  screenshotBytesPerProject: 'all screenshots of a project; the oldest of closed notes make room',
  listItems:
    'items of one list; a longer one says so, with `dev.parley/truncated` and `dev.parley/count` in `_meta`',
  listBytes: 'JSON of the notes in one list, cut like the above',
  sessionBytes: 'JSON of the notes that a page is told of at once; the open ones first, then the newest',
  helloMs: 'time for a page to say hello; then its socket is cut',
  helloBytes: 'what a page may send before it has said hello',
  ungreetedPerAddress: 'sockets from one address that have not said hello; one more gets 429',
  ungreetedPerProcess: 'such sockets of the process',
  connectionsPerSession: 'sockets and event streams of one session; one more gets `rate_limited`',
  connectionsPerPageToken: 'the same of all sessions of a page token',
  connectionsPerProcess: 'the same of the process',
  violationsPerMinute: 'times a page may pass a limit in a minute before it is closed with 4429',
  graceMs: 'time after the last connection until a session is no longer active',
  pingMs: 'time between the pings of a page',
  noteLeaseMs: 'time that a silent agent keeps a note; `--note-lease`',
  keepClosedMs: 'time that closed notes are kept',
};

/** The tables by the name in their markers. */
export const annotationTables: Record<string, () => string> = {
  'annotation-tools': () =>
    markdownTable(
      ['tool', 'effect', 'input', 'what it does'],
      annotationsToolset.tools.map((tool) => [
        code(tool.name),
        code(tool.effect),
        Object.keys(tool.input.shape).map(code).join(', '),
        tool.description,
      ]),
    ),
  'annotation-resources': () =>
    markdownTable(
      ['URI', 'name in grants', 'content'],
      (annotationsToolset.resources ?? []).map(({ uri, name, description }) => [
        code(uri),
        code(name),
        description,
      ]),
    ),
  'annotation-limits': () =>
    markdownTable(
      ['limit', 'default', 'meaning'],
      Object.entries(limits).map(([name, words]) => [code(name), readable(name, limitOf(name)), words]),
    ),
};

function limitOf(name: string): number {
  // The record above has exactly the keys of the limits.
  return DEFAULT_ANNOTATION_LIMITS[name as keyof AnnotationLimits];
}
