/** Owns the screen Monitoring: calls, what failed, rates, dashboards. */
import { useEffect } from 'react';
import { Sections, sectionOf } from '../../ui/sections.tsx';
import { useScreen } from '../../ui/use-screen.ts';
import { Calls } from './calls.tsx';
import { Dashboards } from './dashboards/index.tsx';
import { Errors } from './errors.tsx';
import './monitoring.css';
import { KEPT_NAMES } from './queries.ts';
import { RatesPart } from './rates.tsx';

const SECTIONS = [
  { id: 'calls', title: 'Calls', keeps: KEPT_NAMES },
  { id: 'errors', title: 'Errors', keeps: KEPT_NAMES },
  { id: 'rates', title: 'Rates', keeps: KEPT_NAMES },
  { id: 'dashboards', title: 'Dashboards', keeps: ['time'] },
] as const;

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const { id, open } = screen;
  // A link of another screen names the call alone.
  useEffect(() => {
    if (id !== undefined && /^\d+$/.test(id)) open('calls', id);
  }, [id, open]);
  const section = sectionOf(screen, SECTIONS);
  return (
    <Sections screen={screen} sections={SECTIONS} label="Monitoring">
      {section === 'calls' && <Calls screen={screen} />}
      {section === 'errors' && <Errors screen={screen} />}
      {section === 'rates' && <RatesPart screen={screen} />}
      {section === 'dashboards' && <Dashboards screen={screen} />}
    </Sections>
  );
}
