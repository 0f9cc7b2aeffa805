/** Owns which theme is seen: the chosen one, or that of the system. */

const dark = matchMedia('(prefers-color-scheme: dark)');

/** True where the page is dark now. */
export function isDarkNow(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === 'dark' || (theme !== 'light' && dark.matches);
}

/** Tells of each change, whoever made it: the person by whatever way, or the system. Answers how to stop. */
export function followTheme(listener: () => void): () => void {
  const chosen = new MutationObserver(listener);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  dark.addEventListener('change', listener);
  return () => {
    chosen.disconnect();
    dark.removeEventListener('change', listener);
  };
}
