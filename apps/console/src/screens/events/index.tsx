/** Owns the screen Events: the stream, deliveries, subscriptions, schedules, webhooks. */
import { useEffect } from 'react';
import { Sections, sectionOf } from '../../ui/sections.tsx';
import { useScreen } from '../../ui/use-screen.ts';
import { Deliveries } from './deliveries.tsx';
import './events.css';
import { Schedules } from './schedules.tsx';
import { Stream } from './stream.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { Webhooks } from './webhooks.tsx';

const SECTIONS = [
  { id: 'stream', title: 'Stream' },
  { id: 'deliveries', title: 'Deliveries' },
  { id: 'subscriptions', title: 'Subscriptions' },
  { id: 'schedules', title: 'Schedules' },
  { id: 'webhooks', title: 'Webhooks' },
] as const;

const PLACES: readonly (readonly [prefix: string, section: string])[] = [
  ['evt_', 'stream'],
  ['dlv_', 'deliveries'],
  ['webhook_', 'webhooks'],
];

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const { id, open } = screen;
  // A link of another screen names the event alone.
  useEffect(() => {
    const place = PLACES.find(([prefix]) => id?.startsWith(prefix));
    if (place) open(place[1], id);
  }, [id, open]);
  const section = sectionOf(screen, SECTIONS);
  return (
    <Sections screen={screen} sections={SECTIONS} label="Events">
      {section === 'stream' && <Stream screen={screen} />}
      {section === 'deliveries' && <Deliveries screen={screen} />}
      {section === 'subscriptions' && <Subscriptions screen={screen} />}
      {section === 'schedules' && <Schedules screen={screen} />}
      {section === 'webhooks' && <Webhooks screen={screen} />}
    </Sections>
  );
}
