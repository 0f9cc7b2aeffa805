/** Owns the toolbar, its dragging, and the small handle that stays when everything is hidden. */
import type { Actions, Mode } from '../actions.ts';
import type { Settings, SettingsStore } from '../settings.ts';
import type { State } from '../connection/state.ts';
import { h, icon } from './dom.ts';
import { ICONS } from './icons.ts';

/** The toolbar on the page. */
export interface Toolbar {
  update(state: State, mode: Mode, isPaused: boolean): void;
  place(): void;
  focus(): void;
}

const PRESENCE = { watching: 'Agent is watching', working: 'Agent is working', none: 'No agent' } as const;

/** Builds toolbar and handle. */
export function createToolbar(top: HTMLElement, settings: SettingsStore, actions: Actions): Toolbar {
  const dot = h('span', { class: 'dot' });
  const presence = tool('', actions.openHelp, dot);
  const inspect = tool('', actions.toggleInspect, icon(ICONS.inspect));
  const count = h('span', { class: 'count', text: '0' });
  const notes = tool('Notes', actions.openNotes, icon(ICONS.notes), count);
  const copy = tool('', () => actions.copy(), icon(ICONS.copy));
  const pause = tool('', actions.togglePause, icon(ICONS.pause));
  const options = tool('Settings', actions.openSettings, icon(ICONS.settings));
  const hide = tool('', actions.toggleHidden, icon(ICONS.hide));
  const grip = tool('Move the toolbar with the arrow keys or by dragging', () => undefined, icon(ICONS.grip));
  grip.className = 'grip';
  const bar = h(
    'div',
    { class: 'bar', role: 'toolbar', 'aria-label': 'Parley' },
    grip, presence, inspect, notes, copy, pause, options, hide,
  ); // prettier-ignore
  const handle = h(
    'button',
    {
      class: 'handle',
      type: 'button',
      hidden: true,
      'aria-label': 'Show Parley',
      onclick: actions.toggleHidden,
    },
    icon(ICONS.show),
  );
  top.append(bar, handle);

  const place = (): void => {
    for (const one of [bar, handle]) {
      const free = freeSpace(one);
      const { x, y } = settings.now().place;
      one.style.transform = `translate(${Math.round(12 + x * free.width)}px, ${Math.round(12 + y * free.height)}px)`;
    }
  };
  makeMovable(bar, grip, settings, place);
  const name = (): void => nameButtons({ inspect, copy, pause, hide }, settings.now());
  name();
  settings.onChange(name);

  return {
    place,
    focus: () => inspect.focus({ preventScroll: true }),
    update(state, mode, isPaused) {
      bar.hidden = mode === 'hidden';
      handle.hidden = mode !== 'hidden';
      inspect.setAttribute('aria-pressed', String(mode === 'inspect'));
      pause.setAttribute('aria-pressed', String(isPaused));
      dot.dataset.presence = state.presence.state;
      label(presence, presenceLabel(state));
      const open = state.notes.filter(({ status }) => status !== 'resolved' && status !== 'dismissed').length;
      count.textContent = String(open);
      label(notes, `Notes: ${open} open`);
      // Measured with the next frame, so that the page is not laid out for it.
      requestAnimationFrame(place);
    },
  };
}

function tool(name: string, run: () => void, ...children: Node[]): HTMLButtonElement {
  const button = h('button', { type: 'button', onclick: run }, ...children);
  label(button, name);
  // Focus stays on the page, so that its selection and its open menus stay too.
  button.addEventListener('mousedown', (event) => event.preventDefault());
  return button;
}

function label(button: HTMLElement, name: string): void {
  button.setAttribute('aria-label', name);
  button.title = name;
}

function nameButtons(
  { inspect, copy, pause, hide }: Record<'inspect' | 'copy' | 'pause' | 'hide', HTMLElement>,
  { keys }: Settings,
): void {
  label(inspect, `Pick an element (${keys.inspect})`);
  label(copy, `Copy notes as markdown (${keys.copy})`);
  label(pause, `Pause animations (${keys.pause})`);
  label(hide, `Hide (${keys.hide})`);
}

function presenceLabel({ connection, presence }: State): string {
  if (connection.state === 'online') return PRESENCE[presence.state];
  if (connection.state === 'refused') return 'Token refused';
  const isBlocked = connection.state === 'offline' && connection.isBlocked === true;
  return isBlocked ? 'Blocked by this page' : 'Server not reached';
}

function freeSpace(element: HTMLElement): { width: number; height: number } {
  return {
    width: Math.max(0, innerWidth - element.offsetWidth - 24),
    height: Math.max(0, innerHeight - element.offsetHeight - 24),
  };
}

function makeMovable(bar: HTMLElement, grip: HTMLElement, settings: SettingsStore, place: () => void): void {
  const moveBy = (dx: number, dy: number): void => {
    const free = freeSpace(bar);
    const share = (at: number, by: number, room: number): number =>
      room === 0 ? at : Math.max(0, Math.min(1, at + by / room));
    const { x, y } = settings.now().place;
    settings.change({ place: { x: share(x, dx, free.width), y: share(y, dy, free.height) } });
    place();
  };
  grip.addEventListener('pointerdown', (event) => grip.setPointerCapture(event.pointerId));
  grip.addEventListener('pointermove', (event) => {
    if (grip.hasPointerCapture(event.pointerId)) moveBy(event.movementX, event.movementY);
  });
  grip.addEventListener('parley-arrow', (event) => {
    const { x, y } = (event as CustomEvent<{ x: number; y: number }>).detail; // made with this detail by the keys
    moveBy(x * 24, y * 24);
  });
}
