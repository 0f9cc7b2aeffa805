/** Owns which theme is seen: the chosen one, or that of the system. */

/** True where the page is dark now. */
export function isDarkNow(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
}
