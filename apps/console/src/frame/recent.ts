/** Owns the places where the person was last, for the palette; kept in this browser alone. */
import { SCREENS } from '../screens.ts';

/** A place one can go back to. */
export interface Place {
  readonly to: string;
  readonly title: string;
}

const KEY = 'parley.recent';
const MOST = 8;

/** Puts a path at the head of the list; what is open in a screen counts as a place of its own. */
export function rememberPlace(path: string): void {
  const screen = SCREENS.findLast((one) => one.path !== '/' && path.startsWith(one.path));
  if (!screen) return;
  const rest = path.slice(screen.path.length + 1);
  const title =
    rest === '' ? screen.title : `${screen.title}: ${decodeURIComponent(rest).replaceAll('/', ' · ')}`;
  const others = recentPlaces().filter((place) => place.to !== path);
  try {
    localStorage.setItem(KEY, JSON.stringify([{ to: path, title }, ...others].slice(0, MOST)));
  } catch {
    // Storage is switched off: the list stays empty.
  }
}

/** The places, the last one first. */
export function recentPlaces(): Place[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isPlace).slice(0, MOST) : [];
  } catch {
    return [];
  }
}

function isPlace(value: unknown): value is Place {
  if (typeof value !== 'object' || value === null || !('to' in value) || !('title' in value)) return false;
  return typeof value.to === 'string' && value.to.startsWith('/') && typeof value.title === 'string';
}
