/** Owns screens of several parts: a row of places over the screen, each with an address of its own. */
import { useEffect, useMemo, useRef } from 'react';
import type { ReactNode } from 'react';
import { ScreenLink } from './screen-link.tsx';
import './sections.css';
import './tabs.css';
import type { ScreenState, Search } from './use-screen.ts';

/** One part of a screen; `/events/webhooks/wh_1` is the part `webhooks` with `wh_1` open. */
export interface Section<Id extends string = string> {
  readonly id: Id;
  readonly title: string;
  /** Filters that stay when one goes there; absent: none. */
  readonly keeps?: readonly string[];
}

/** The part that is shown: the one in the address, else the first. */
export function sectionOf<Id extends string>(screen: ScreenState, sections: readonly Section<Id>[]): Id {
  const found = sections.find(({ id }) => id === screen.id) ?? sections[0];
  if (!found) throw new Error('A screen of parts has at least one.');
  return found.id;
}

/** The state of the screen as a part sees it: what is open in it is its `id`. */
export function useSection(screen: ScreenState, id: string): ScreenState {
  return useMemo(
    () => ({
      ...screen,
      base: `${screen.base}/${id}`,
      id: screen.id === id ? screen.tab : undefined,
      tab: undefined,
      open: (one: string | undefined) => screen.open(id, one),
    }),
    [screen, id],
  );
}

/** The row of places, and the part that is shown below it. */
export function Sections<Id extends string>({
  screen,
  sections,
  label,
  children,
}: {
  readonly screen: ScreenState;
  readonly sections: readonly Section<Id>[];
  readonly label: string;
  readonly children: ReactNode;
}) {
  const shown = sectionOf(screen, sections);
  const bar = useRef<HTMLElement>(null);
  // On a phone the bar is wider than the window.
  useEffect(() => {
    bar.current
      ?.querySelector('[aria-current="page"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [shown]);
  return (
    <div className="sections">
      <nav ref={bar} className="sections-bar" aria-label={label}>
        {sections.map((section) => (
          <ScreenLink
            key={section.id}
            to={`${screen.base}/${section.id}`}
            search={keptOf(screen.search, section.keeps ?? [])}
            className="tabs-tab"
            isCurrent={section.id === shown}
          >
            {section.title}
          </ScreenLink>
        ))}
      </nav>
      <div className="sections-part">{children}</div>
    </div>
  );
}

function keptOf(search: Search, keeps: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    keeps.flatMap((name) => {
      const value = search[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
