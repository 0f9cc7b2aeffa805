/** Owns tabs inside a screen or a detail. */
import { Tabs as Base } from '@base-ui/react/tabs';
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import './tabs.css';

/** One tab; without content only the bar is shown and the caller shows the rest. */
export interface Tab<V extends string = string> {
  readonly id: V;
  readonly label: ReactNode;
  readonly count?: number;
  readonly content?: ReactNode;
}

/** What tabs take. */
export interface TabsProps<V extends string = string> {
  readonly value: V;
  readonly onChange: (id: V) => void;
  readonly tabs: readonly Tab<V>[];
  readonly label?: string;
}

/** A bar of tabs and the content of the one that is chosen. */
export function Tabs<V extends string = string>({ value, onChange, tabs, label }: TabsProps<V>) {
  const bar = useRef<HTMLDivElement>(null);
  // Where the bar is wider than its place, the tab that is chosen is seen.
  useEffect(() => {
    bar.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [value]);
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onChange(next as V)} // One of the ids below
      className="tabs"
    >
      <Base.List ref={bar} className="tabs-bar" aria-label={label}>
        {tabs.map((tab) => (
          <Base.Tab key={tab.id} value={tab.id} className="tabs-tab">
            {tab.label}
            {tab.count !== undefined && <span className="tabs-count number">{tab.count}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(
        (tab) =>
          tab.content !== undefined && (
            <Base.Panel key={tab.id} value={tab.id} className="tabs-panel">
              {tab.content}
            </Base.Panel>
          ),
      )}
    </Base.Root>
  );
}
