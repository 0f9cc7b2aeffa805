/** Owns what is shown now: hidden, idle, inspecting, or a panel; and every way from one to another. */
import type { Actions, Mode } from './actions.ts';
import type { Pick } from './capture/capture.ts';
import { capture } from './capture/capture.ts';
import { labelOf } from './capture/element-path.ts';
import { windowBox } from './capture/tree.ts';
import { isTyping } from './keys.ts';
import { createPause } from './pause.ts';
import type { Inspect } from './picks/inspect.ts';
import { startInspect } from './picks/inspect.ts';
import { textPick } from './picks/text.ts';
import type { Scene } from './scene.ts';
import { focusedElement } from './ui/root.ts';

type NoteDeed =
  | 'submit'
  | 'reply'
  | 'reopen'
  | 'remove'
  | 'edit'
  | 'answerDiff'
  | 'copy'
  | 'clear'
  | 'setAutoApprove';
type ModeActions = Omit<Actions, NoteDeed>;

/** The modes and how they change. */
export interface Modes {
  readonly actions: ModeActions;
  mode(): Mode;
  inspect(): Inspect | undefined;
  /** The live element of the note that is being written. */
  picked(): Element | undefined;
  onPick(pick: Pick): void;
  /** Draws toolbar and panel anew. */
  refresh(): void;
  stop(): void;
}

/** Starts idle, or hidden when the person left it so. */
export function createModes(scene: Scene): Modes {
  const { settings, root, outlines, session, captureParts } = scene;
  const { state } = session;
  const pause = createPause();
  let isPaused = false;
  let inspect: Inspect | undefined;
  let picked: Element | undefined;

  const mode = (): Mode =>
    scene.views().panels.mode() ?? (settings.now().hidden ? 'hidden' : inspect ? 'inspect' : 'idle');
  const refresh = (): void => {
    const { toolbar, panels } = scene.views();
    toolbar.update(state.now(), mode(), isPaused);
    root.pins.hidden = settings.now().hidden;
    panels.update();
  };
  const stop = (): void => {
    inspect?.stop();
    inspect = undefined;
  };
  const onPick = (pick: Pick): void => {
    stop();
    picked = pick.element;
    const { box, elements = [pick.element] } = pick;
    const anchor = (): DOMRect => (box ? DOMRect.fromRect(box) : windowBox(pick.element));
    scene.views().panels.annotate(capture(pick, captureParts), anchor);
    outlines.draw(box ? [{ box, look: 'area' }] : elements.map((one) => ({ box: windowBox(one) })));
    refresh();
  };
  const start = (): void => {
    const focused = focusedElement();
    if (isTyping(focused)) scene.views().toolbar.focus();
    const parts = {
      ...captureParts,
      host: root.host,
      top: root.top,
      outlines,
      labelOf,
      say: root.say,
      onPick,
    };
    inspect = startInspect(parts, focused === null || root.shadow.contains(focused) ? null : focused);
  };
  const toggle = (name: 'notes' | 'help' | 'settings'): void => {
    const { panels } = scene.views();
    if (panels.mode() === 'annotate') return;
    stop();
    if (panels.mode() === name) panels.close();
    else panels[name]();
    refresh();
  };

  const actions: ModeActions = {
    toggleInspect() {
      const { panels } = scene.views();
      if (panels.mode() === 'annotate') return;
      panels.close();
      if (settings.now().hidden) settings.change({ hidden: false });
      const selected = inspect ? undefined : textPick();
      if (selected) return onPick(selected);
      if (inspect) stop();
      else start();
      refresh();
    },
    toggleHidden() {
      stop();
      scene.views().panels.close();
      settings.change({ hidden: !settings.now().hidden });
      refresh();
    },
    togglePause() {
      isPaused = pause();
      root.say(isPaused ? 'Animations paused' : 'Animations run');
      refresh();
    },
    back() {
      const { panels } = scene.views();
      const open = panels.current();
      if (open?.mode === 'annotate') {
        if (!open.panel.mayClose()) return;
        scene.tab.write('draft', undefined);
      }
      const note = open?.mode === 'preview' ? state.find(open.note.id) : undefined;
      panels.close();
      if (note) panels.thread(note);
      if (open === undefined) stop();
      outlines.clear();
      refresh();
    },
    openThread(id) {
      const note = state.find(id);
      if (note === undefined) return;
      stop();
      scene.bindings.resolve(note)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      scene.views().panels.thread(note);
      refresh();
    },
    openPreview(id) {
      const note = state.find(id);
      if (note?.diff !== undefined) scene.views().panels.preview(note);
      refresh();
    },
    openNotes: () => toggle('notes'),
    openHelp: () => toggle('help'),
    openSettings: () => toggle('settings'),
  };
  return { actions, mode, refresh, onPick, stop, inspect: () => inspect, picked: () => picked };
}
