/** Owns which editor a person uses and where projects are on their machine, and the address that opens a line there. */

/** Those that open `scheme://file/PATH:LINE`. */
export const EDITORS = [
  { value: 'vscode', label: 'VS Code' },
  { value: 'cursor', label: 'Cursor' },
  { value: 'windsurf', label: 'Windsurf' },
  { value: 'vscodium', label: 'VSCodium' },
  { value: 'zed', label: 'Zed' },
] as const;

type Editor = (typeof EDITORS)[number]['value'];

/** Kept in this browser. */
export interface EditorSettings {
  readonly editor: Editor;
  /** The folder of the project by the origin of its pages. */
  readonly roots: Readonly<Record<string, string>>;
}

const KEY = 'parley.editor';
const NONE: EditorSettings = { editor: 'vscode', roots: {} };

/** The settings; whatever does not fit counts as none. */
export function readEditor(): EditorSettings {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (typeof stored !== 'object' || stored === null || !('roots' in stored)) return NONE;
    const editor = EDITORS.find(({ value }) => 'editor' in stored && value === stored.editor);
    const roots = Object.entries(stored.roots ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    return { editor: editor?.value ?? NONE.editor, roots: Object.fromEntries(roots) };
  } catch {
    return NONE;
  }
}

/** Keeps them; where storage is off they last as long as the page. */
export function keepEditor(settings: EditorSettings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // The link works until the page is closed.
  }
}

/** What the folder of a project goes by. */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}

const PLACE = /^(.{1,1000}?)(?::(\d{1,7}))?(?::(\d{1,7}))?$/;

/**
 * The address of a line; undefined where no folder is known, and for a path that leaves it: the page wrote it.
 *
 *     editorAddress({ editor: 'vscode', roots: { 'http://localhost:5173': '/home/ada/shop' } }, 'src/a.tsx:3:1', url)
 *     // vscode://file/home/ada/shop/src/a.tsx:3:1
 */
export function editorAddress(settings: EditorSettings, place: string, url: string): string | undefined {
  const root = Object.hasOwn(settings.roots, originOf(url)) ? settings.roots[originOf(url)] : undefined;
  const [, given = '', line, column] = PLACE.exec(place) ?? [];
  if (root === undefined || root === '' || given === '') return undefined;
  const folder = root.replaceAll('\\', '/').replace(/\/$/, '');
  const path = given.replaceAll('\\', '/');
  const inside = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  const parts = inside.split('/').filter((part) => part !== '' && part !== '.');
  const isOutside = inside.startsWith('/') || /^[a-z]:/i.test(inside) || parts.includes('..');
  if (isOutside || parts.length === 0) return undefined;
  const whole = [...folder.split('/').filter((part) => part !== ''), ...parts].map(encodeURIComponent);
  const at = [line, column].flatMap((number) => (number === undefined ? [] : [`:${number}`]));
  return `${settings.editor}://file/${whole.join('/')}${at.join('')}`;
}
