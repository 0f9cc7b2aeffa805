/** Owns the overlay on one page: it makes the parts and joins them. */
import { detach } from '../detach.ts';
import type { Actions, Draft } from './actions.ts';
import type { OverlayOptions } from './config.ts';
import { createComponentReader } from './capture/component.ts';
import { findBySelector } from './capture/selector.ts';
import { windowBox } from './capture/tree.ts';
import { watchKeys } from './keys.ts';
import type { Modes } from './modes.ts';
import { createModes } from './modes.ts';
import { copyText, createNoteActions } from './note-actions.ts';
import { watchPage } from './page.ts';
import { createPanels } from './panels.ts';
import { watchSelection } from './picks/selection-button.ts';
import { createBindings } from './pins/bindings.ts';
import { createPins } from './pins/layer.ts';
import { routeOf } from './route.ts';
import type { Scene, Views } from './scene.ts';
import { openSession } from './connection/session.ts';
import { openSettings } from './settings.ts';
import type { ClassFiles } from './source/angular.ts';
import type { State } from './connection/state.ts';
import { openShelf } from './connection/storage.ts';
import { createOutlines } from './ui/outline.ts';
import { keepOwnEvents } from './ui/own-events.ts';
import { createRoot } from './ui/root.ts';
import { spokenStatus } from './ui/status.ts';
import { createToast } from './ui/toast.ts';
import { createToolbar } from './ui/toolbar.ts';

export interface Overlay {
  /** Files of Angular classes, told by the dev server. */
  setClassFiles(files: ClassFiles): void;
  close(): void;
}

/** Options whose server is known. */
export type OverlaySettings = OverlayOptions & { readonly server: string };

/** Starts the overlay on this page. */
export function createOverlay(options: OverlaySettings): Overlay {
  let classFiles: ClassFiles = {};
  const scene = createScene(
    options,
    () => classFiles,
    () => views,
  );
  const modes = createModes(scene);
  const actions: Actions = { ...modes.actions, ...createNoteActions(scene, modes) };
  const views = createViews(scene, options, actions, modes);
  const { session, root } = scene;
  session.state.onChange((now, before) => {
    views.pins.show(now.notes);
    speakChanges(now, before, root.say);
    modes.refresh();
  });
  const stops = [
    keepOwnEvents(root.host),
    watchOverlayKeys(scene, actions, modes),
    watchSelection(root.top, () => modes.mode() === 'idle', modes.onPick),
    watchPageOf(scene, modes),
  ];
  views.pins.show(session.state.now().notes);
  modes.refresh();
  resumeDraft(scene);
  return {
    setClassFiles: (files) => (classFiles = files),
    close() {
      modes.stop();
      for (const stop of stops) stop();
      views.pins.close();
      session.close();
      root.host.remove();
    },
  };
}

function createScene(
  { server, token, dev }: OverlaySettings,
  classFiles: () => ClassFiles,
  views: () => Views,
): Scene {
  const tab = openShelf(() => sessionStorage, 'parley.');
  const settings = openSettings(openShelf(() => localStorage, 'parley.'));
  const root = createRoot(settings);
  const toast = createToast(root.top, root.say);
  const session = openSession({ server, token, shelf: tab, onError: (message) => toast(message) });
  return {
    tab,
    settings,
    root,
    toast,
    session,
    views,
    outlines: createOutlines(root.outlines),
    bindings: createBindings(),
    captureParts: { readComponent: createComponentReader(classFiles, dev), shelf: root.shelf },
    notesHere: () => session.state.now().notes.filter(({ url }) => routeOf(url) === routeOf(location.href)),
  };
}

function createViews(scene: Scene, options: OverlaySettings, actions: Actions, modes: Modes): Views {
  const { root, bindings, outlines, settings, session } = scene;
  const pins = createPins({
    layer: root.pins,
    bindings,
    onOpen: actions.openThread,
    onHover(note) {
      if (modes.inspect() || panels.mode() === 'annotate') return;
      const element = note && bindings.resolve(note);
      if (!note || !element) return outlines.clear();
      const others = (note.targets ?? []).map(({ selector }) => findBySelector(selector));
      const shown = [element, ...others.filter((one) => one !== null)];
      outlines.draw(shown.map((one) => ({ box: windowBox(one), look: 'soft' })));
    },
    onPlaces: () => panels.update(),
  });
  const panels = createPanels({
    top: root.top,
    options,
    settings,
    actions,
    state: session.state.now,
    notesHere: scene.notesHere,
    missing: pins.missing,
    anchorOf: (note) => pins.button(note.id)?.getBoundingClientRect(),
    onDraft: (draft) => scene.tab.write('draft', draft),
    copyText: (text) => detach(copyText(scene, text), reportError),
  });
  return { pins, panels, toolbar: createToolbar(root.top, settings, actions) };
}

function watchOverlayKeys(scene: Scene, actions: Actions, modes: Modes): () => void {
  const open = () => scene.views().panels.current();
  const send = (): void => {
    const shown = open();
    if (shown?.mode === 'thread') shown.panel.send();
  };
  const shortcuts = {
    inspect: actions.toggleInspect,
    hide: actions.toggleHidden,
    copy: () => actions.copy(),
    pause: actions.togglePause,
    clear: actions.clear,
  };
  return watchKeys({
    host: scene.root.host,
    mode: modes.mode,
    settings: scene.settings.now,
    shortcut: (name) => shortcuts[name](),
    back: actions.back,
    step: (step) => modes.inspect()?.step(step),
    toggle: () => modes.inspect()?.toggle(),
    pick: () => modes.inspect()?.pick(),
    send,
    submit() {
      const shown = open();
      if (shown?.mode === 'annotate') shown.panel.submit();
      else send();
    },
    takeKey(combination) {
      const shown = open();
      return shown?.mode === 'settings' && shown.panel.takeKey(combination);
    },
    trap(isBackwards) {
      open()?.panel.trap(isBackwards);
      return open() !== undefined;
    },
  });
}

function watchPageOf({ root, settings, session, views }: Scene, modes: Modes): () => void {
  return watchPage({
    host: root.host,
    isBlocking: () => settings.now().blockClicks && modes.mode() !== 'hidden',
    onChange(didPageChange) {
      root.keep();
      views().pins.wake(didPageChange);
    },
    onResize() {
      views().toolbar.place();
      views().panels.current()?.panel.place();
      session.tellPlace();
    },
    onRoute() {
      session.tellPlace();
      modes.refresh();
    },
  });
}

// A page that reloads while a note is written gives the words back.
function resumeDraft({ tab, views }: Scene): void {
  const draft = tab.read('draft') as Draft | undefined; // written by the panel
  if (!draft || routeOf(draft.captured.url) !== routeOf(location.href) || draft.wish.annotationText === '')
    return;
  const element = findBySelector(draft.captured.selector);
  views().panels.annotate(draft.captured, () => (element ? windowBox(element) : undefined), draft.wish);
}

function speakChanges(now: State, before: State, say: (text: string) => void): void {
  for (const note of now.notes) {
    const old = before.notes.find(({ id }) => id === note.id);
    if (old === undefined) continue;
    if (old.status !== note.status) say(`Note ${note.number} is ${spokenStatus(note.status)}`);
    const last = note.replies.at(-1);
    if (old.status === note.status && last?.author === 'agent' && last.id !== old.replies.at(-1)?.id) {
      say(`Note ${note.number}: the agent replied`);
    }
  }
}
