/** Owns which panel is open, and closing the one before. */
import type { Actions, Draft, Mode } from './actions.ts';
import type { Captured, PageAnnotation, Wish } from '../shapes.ts';
import type { OverlaySettings } from './overlay.ts';
import type { SettingsStore } from './settings.ts';
import type { State } from './connection/state.ts';
import type { AnnotatePanel } from './ui/annotate.ts';
import { openAnnotate } from './ui/annotate.ts';
import { openHelp } from './ui/help.ts';
import type { NotesPanel } from './ui/notes.ts';
import { openNotes } from './ui/notes.ts';
import type { Panel } from './ui/panel.ts';
import { openPreview } from './ui/preview.ts';
import type { SettingsPanel } from './ui/settings.ts';
import { openSettingsPanel } from './ui/settings.ts';
import type { ThreadPanel } from './ui/thread.ts';
import { openThread } from './ui/thread.ts';

type Open =
  | { readonly mode: 'annotate'; readonly panel: AnnotatePanel }
  | { readonly mode: 'thread'; readonly panel: ThreadPanel }
  | { readonly mode: 'notes'; readonly panel: NotesPanel }
  | { readonly mode: 'settings'; readonly panel: SettingsPanel }
  | { readonly mode: 'preview'; readonly panel: Panel; readonly note: PageAnnotation }
  | { readonly mode: 'help'; readonly panel: Panel; readonly key: string };

export interface PanelParts {
  readonly top: HTMLElement;
  readonly options: OverlaySettings;
  readonly settings: SettingsStore;
  readonly actions: Actions;
  state(): State;
  /** The notes of the page shown now, and which of them have no element. */
  notesHere(): readonly PageAnnotation[];
  missing(): ReadonlySet<string>;
  anchorOf(note: PageAnnotation): DOMRect | undefined;
  onDraft(draft: Draft | undefined): void;
  copyText(text: string): void;
}

export interface Panels {
  current(): Open | undefined;
  mode(): Mode | undefined;
  annotate(captured: Captured, anchor: () => DOMRect | undefined, wish?: Partial<Wish>): void;
  thread(note: PageAnnotation): void;
  preview(note: PageAnnotation): void;
  notes(): void;
  help(): void;
  settings(): void;
  close(): void;
  /** Brings the open panel up to date. */
  update(): void;
}

/** No panel open. */
export function createPanels(parts: PanelParts): Panels {
  const { top, actions } = parts;
  let open: Open | undefined;
  const close = (): void => {
    const closing = open;
    open = undefined;
    closing?.panel.close();
  };
  const show = (make: () => Open): void => {
    close();
    open = make();
    update();
  };
  const helpKey = (): string => {
    const { connection, presence } = parts.state();
    return JSON.stringify([connection, presence.state, presence.agents.map(({ name }) => name)]);
  };
  const help = (): void =>
    show(() => {
      const { options, copyText } = parts;
      const told = { options, copyText, state: parts.state(), settings: parts.settings.now() };
      return { mode: 'help', panel: openHelp(top, told, actions), key: helpKey() };
    });
  const preview = (note: PageAnnotation): void =>
    show(() => ({ mode: 'preview', note, panel: openPreview(top, note, actions) }));
  const thread = (note: PageAnnotation): void =>
    show(() => ({ mode: 'thread', panel: openThread(top, note, actions, () => parts.anchorOf(note)) }));
  const update = (): void => {
    if (open?.mode === 'notes') open.panel.update(parts.notesHere(), parts.missing());
    if (open?.mode === 'help' && open.key !== helpKey()) help();
    if (open?.mode !== 'thread' && open?.mode !== 'preview') return;
    const shown = open.mode === 'thread' ? open.panel.note() : open.note;
    const note = noteNow(parts.state().notes, shown);
    if (note === undefined) return close();
    if (open.mode === 'preview')
      return previewKey(note) === previewKey(open.note) ? undefined : preview(note);
    if (note.id === shown.id) open.panel.update(note);
    else thread(note);
  };
  return {
    current: () => open,
    mode: () => open?.mode,
    close,
    update,
    help,
    preview,
    annotate: (captured, anchor, wish = {}) =>
      show(() => {
        const ended = (): void => {
          parts.onDraft(undefined);
          close();
          actions.back();
        };
        const panel = openAnnotate({
          top,
          captured,
          anchor,
          wish,
          onChange: parts.onDraft,
          onClose: ended,
          onSubmit: actions.submit,
        });
        return { mode: 'annotate', panel };
      }),
    thread,
    notes: () => show(() => ({ mode: 'notes', panel: openNotes(top, actions) })),
    settings: () =>
      show(() => {
        const isAutoApproved = parts.state().session?.autoApprove ?? false;
        return { mode: 'settings', panel: openSettingsPanel(top, parts.settings, isAutoApproved, actions) };
      }),
  };
}

// A note that was unsent when its panel opened has another id once the server has it.
function noteNow(notes: readonly PageAnnotation[], shown: PageAnnotation): PageAnnotation | undefined {
  return notes.find(({ clientId }) => clientId === shown.clientId);
}

function previewKey({ status, diffRevision, diff }: PageAnnotation): string {
  return `${status} ${diffRevision} ${diff?.length}`;
}
