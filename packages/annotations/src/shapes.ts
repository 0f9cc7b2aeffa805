/** The nouns of annotations as every surface shows them: session, annotation, reply, presence. */
import * as z from 'zod';

/** Statuses of an annotation; the last two are closed. */
export const STATUSES = ['pending', 'acknowledged', 'diff_proposed', 'resolved', 'dismissed'] as const;

const text = (max: number) => z.string().max(max);

/** Text that says something. */
export const words = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.trim() !== '', { message: 'must not be blank' });

const time = z.iso.datetime();
const finite = z.number();

/** Size of the page's window in CSS pixels. */
export const Viewport = z.object({
  width: finite.min(0),
  height: finite.min(0),
  pixelRatio: finite.positive(),
});

/** Where an element was: page coordinates, or viewport coordinates when `fixed`. */
export const BoundingBox = z.object({
  x: finite,
  y: finite,
  width: finite,
  height: finite,
  fixed: z.boolean(),
});

/** What assistive technology is told about an element. */
export const Accessibility = z.object({
  role: text(200).optional(),
  name: text(1000).optional(),
  description: text(1000).optional(),
  states: z.array(text(100)).max(50),
  focusable: z.boolean(),
  tabIndex: z.int().optional(),
});

/** One element of a multi or area pick. */
export const Target = z.object({
  selector: text(1000),
  elementPath: text(2000),
  boundingBox: BoundingBox,
  sourceFile: text(1000).optional(),
});

const MAX_INPUTS_BYTES = 4096;
const MAX_INPUTS_DEPTH = 3;
const MAX_STYLES = 60;

const Inputs = z
  .record(z.string(), z.unknown())
  .refine((value) => new TextEncoder().encode(JSON.stringify(value)).length <= MAX_INPUTS_BYTES, {
    message: 'must be at most 4 kB of JSON',
  })
  .refine((value) => depthOf(value) <= MAX_INPUTS_DEPTH, { message: 'must be at most 3 levels deep' });

/** What the browser captured; it never changes after the note was made. */
export const Captured = z.object({
  kind: z.enum(['element', 'text', 'multi', 'area']).describe('How it was picked'),
  url: text(4000).describe('Page at capture'),
  title: text(1000).describe('Title of the page at capture'),
  viewport: Viewport,
  scroll: z.object({ x: finite, y: finite }),
  componentName: text(200).optional().describe('Nearest framework component'),
  componentTreePath: z.array(text(200)).max(50).optional().describe('Ancestor components, root first'),
  inputs: Inputs.optional().describe('Current inputs or props of the component'),
  sourceFile: text(1000).optional().describe('path:line:col, relative to the project root'),
  templateFile: text(1000).optional().describe('External template, same form'),
  selector: text(1000).describe('CSS selector of the element; >>> crosses a shadow root'),
  elementPath: text(2000).describe('Readable path from body'),
  element: text(200).describe('Short label of the element'),
  cssClasses: z.array(text(500)).max(50).optional(),
  selectionText: text(5000).optional().describe('Text highlighted by the person'),
  nearbyText: text(500).optional().describe('Visible text around the element'),
  domSnapshot: text(5000).describe('outerHTML, cut and masked'),
  computedStyles: z
    .record(text(100), text(1000))
    .refine((styles) => Object.keys(styles).length <= MAX_STYLES, {
      message: 'must have at most 60 properties',
    })
    .optional(),
  accessibility: Accessibility.optional(),
  boundingBox: BoundingBox,
  targets: z.array(Target).max(50).optional().describe('Every element of a multi or area pick'),
});

/** What the person wrote. */
export const Wish = z.object({
  annotationText: words(10_000).describe('The instruction'),
  intent: z.enum(['fix', 'change', 'question', 'approve']).describe('What the person wants'),
  severity: z.enum(['blocking', 'important', 'suggestion']),
});

/** A picture's description; the picture itself is a resource. */
export const Screenshot = z.object({
  id: z.string(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  mimeType: z.string(),
});

/** One message of a thread. */
export const Reply = z.object({
  id: z.string(),
  createdAt: time,
  author: z.enum(['agent', 'user']),
  authorName: z.string().optional(),
  message: z.string(),
});

/** One annotation with its thread. */
export const Annotation = z.object({
  id: z.string(),
  sessionId: z.string(),
  number: z.int().describe('Pin number within its session'),
  status: z.enum(STATUSES),
  createdAt: time,
  updatedAt: time,
  editedAt: time.optional().describe('The person changed the instruction'),
  ...Wish.shape,
  ...Captured.shape,
  screenshot: Screenshot.optional(),
  diff: z.string().optional().describe('Proposed unified diff'),
  diffRevision: z.int().optional().describe('Counts the proposals; an answer names the one it is for'),
  diffResponse: z.enum(['approved', 'rejected']).optional(),
  repliesBefore: z.int().optional().describe('Older replies that are not shown'),
  replies: z.array(Reply).describe('Oldest first'),
  acknowledgedBy: z.object({ name: z.string(), source: z.string() }).optional(),
  resolvedBy: z.enum(['user', 'agent']).optional(),
  resolvedAt: time.optional(),
});

/** One browser tab. */
export const Session = z.object({
  id: z.string(),
  createdAt: time,
  lastSeenAt: time,
  active: z.boolean().describe('A page is connected now'),
  url: z.string(),
  title: z.string(),
  origin: z.string(),
  viewport: Viewport,
  userAgent: z.string(),
  framework: z.enum(['react', 'vue', 'svelte', 'angular', 'none']),
  autoApprove: z.boolean().describe('Diffs of this session are approved at once'),
  projectId: z.string().optional(),
});

/** Whether an agent is there. */
export const Presence = z.object({
  state: z.enum(['watching', 'working', 'none']),
  agents: z.array(z.object({ name: z.string(), client: z.string().optional(), lastSeenAt: time })),
});

/** An annotation as every surface shows it. */
export type Annotation = z.output<typeof Annotation>;
/** An annotation as its own page gets it: with the id that the page gave it, by which the page knows it again. */
export type PageAnnotation = Annotation & { readonly clientId: string };
export type AnnotationStatus = Annotation['status'];
export type Captured = z.output<typeof Captured>;
export type Wish = z.output<typeof Wish>;
export type Screenshot = z.output<typeof Screenshot>;
export type Reply = z.output<typeof Reply>;
export type Session = z.output<typeof Session>;
export type Presence = z.output<typeof Presence>;

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
