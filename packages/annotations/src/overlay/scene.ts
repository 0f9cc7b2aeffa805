/** Owns the names of the overlay's parts, as actions use them. */
import type { PageAnnotation } from '../shapes.ts';
import type { CaptureParts } from './capture/capture.ts';
import type { Panels } from './panels.ts';
import type { Bindings } from './pins/bindings.ts';
import type { Pins } from './pins/layer.ts';
import type { TabSession } from './connection/session.ts';
import type { SettingsStore } from './settings.ts';
import type { Shelf } from './connection/storage.ts';
import type { Outlines } from './ui/outline.ts';
import type { OverlayRoot } from './ui/root.ts';
import type { Toast } from './ui/toast.ts';
import type { Toolbar } from './ui/toolbar.ts';

/** The parts that stand before the views. */
export interface Scene {
  readonly tab: Shelf;
  readonly settings: SettingsStore;
  readonly root: OverlayRoot;
  readonly toast: Toast;
  readonly outlines: Outlines;
  readonly bindings: Bindings;
  readonly session: TabSession;
  readonly captureParts: CaptureParts;
  /** The notes of the page shown now. */
  notesHere(): readonly PageAnnotation[];
  /** The views, which are made after the actions they call. */
  views(): Views;
}

/** What is drawn. */
export interface Views {
  readonly panels: Panels;
  readonly pins: Pins;
  readonly toolbar: Toolbar;
}
