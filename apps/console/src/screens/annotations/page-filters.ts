/** Owns the filters by page and by project of the annotations, each with how many notes are open there. */
import type { AnnotatedPage } from '../../api/schema.ts';

/** Every visit of a page is a session of its own; people look for the page, with how much is open on it. */
export function pageOptions(pages: readonly AnnotatedPage[]) {
  return grouped(pages, ({ session }) => session.url).map(([url, its]) => ({
    value: url,
    label: `${its[0]?.session.title || url} (${openText(its)})`,
  }));
}

/** The projects that pages belong to. */
export function projectOptions(
  pages: readonly AnnotatedPage[],
  projects: readonly { readonly id: string; readonly name: string }[],
) {
  return grouped(pages, ({ session }) => session.projectId).map(([id, its]) => ({
    value: id,
    label: `${projects.find((project) => project.id === id)?.name ?? id} (${openText(its)})`,
  }));
}

function grouped(
  pages: readonly AnnotatedPage[],
  keyIn: (page: AnnotatedPage) => string | undefined,
): (readonly [string, readonly AnnotatedPage[]])[] {
  const groups = new Map<string, AnnotatedPage[]>();
  for (const page of pages) {
    const key = keyIn(page);
    if (key !== undefined && key !== '') groups.set(key, [...(groups.get(key) ?? []), page]);
  }
  return [...groups];
}

function openText(pages: readonly AnnotatedPage[]): string {
  const sum = (isWanted: (status: string) => boolean) =>
    pages
      .flatMap(({ counts }) => Object.entries(counts))
      .reduce<number>((total, [status, count]) => total + (isWanted(status) ? count : 0), 0);
  const open = sum((status) => status !== 'resolved' && status !== 'dismissed');
  return `${open} open of ${sum(() => true)}`;
}
