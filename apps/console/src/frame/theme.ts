/** Owns the theme: as the system has it, or as the person chose; kept in this browser. */

/** What can be chosen. */
export type Theme = 'system' | 'light' | 'dark';

const KEY = 'parley.theme';

/** What is chosen now. */
export function readTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Chooses; public/theme.js does the same before the next page is painted. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // Storage is switched off: the choice holds for this page.
  }
}
