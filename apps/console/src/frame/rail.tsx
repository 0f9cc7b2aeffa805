/** Owns the rail: where one can go, and what waits there; a bar at the bottom on a phone. */
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import {
  Activity,
  Bot,
  Building2,
  Ellipsis,
  House,
  ListTodo,
  MessageSquareText,
  PanelLeftClose,
  PanelLeftOpen,
  Plug,
  Radio,
  SquareMousePointer,
  Wrench,
} from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { request } from '../api/request.ts';
import { useSession } from '../api/session.ts';
import type { RailName } from '../api/types.ts';
import { RAIL_TITLES, SCREENS, screensOf } from '../screens.ts';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Dialog } from '../ui/dialog.tsx';
import { ScreenLink } from '../ui/screen-link.tsx';
import { useIsPhone } from '../ui/use-media.ts';
import './rail.css';

const ICONS: Readonly<Record<RailName, ReactNode>> = {
  home: <House />,
  annotations: <SquareMousePointer />,
  feedback: <MessageSquareText />,
  tasks: <ListTodo />,
  agents: <Bot />,
  connections: <Plug />,
  tools: <Wrench />,
  events: <Radio />,
  monitoring: <Activity />,
  organization: <Building2 />,
};

const COLLAPSED_KEY = 'parley.rail';
const IN_BAR = 4;

/** What waits, per entry. */
type Counts = Partial<Record<RailName, number>>;

/** The rail entry of a path. */
export function railOf(path: string): RailName {
  if (path === '/') return 'home';
  return SCREENS.find((screen) => screen.path !== '/' && path.startsWith(screen.path))?.rail ?? 'home';
}

/** The list of places. */
export function Rail() {
  const isPhone = useIsPhone();
  const { rail } = useSession();
  const { pathname } = useLocation();
  const { data: counts = {} } = useQuery({ queryKey: ['counts'], queryFn: () => request('GET /api/counts') });
  const shared = { rail, current: railOf(pathname), counts };
  return isPhone ? <BottomBar {...shared} /> : <SideRail {...shared} />;
}

interface RailProps {
  readonly rail: readonly RailName[];
  readonly current: RailName;
  readonly counts: Counts;
}

function SideRail({ rail, current, counts }: RailProps) {
  const [isCollapsed, setCollapsed] = useState(() => localStorage.getItem(COLLAPSED_KEY) === 'collapsed');
  const toggle = () => {
    localStorage.setItem(COLLAPSED_KEY, isCollapsed ? 'open' : 'collapsed');
    setCollapsed(!isCollapsed);
  };
  return (
    <nav className={classes('rail', isCollapsed && 'rail-collapsed')} aria-label="Main">
      <ScreenLink to="/" className="rail-logo" title="Parley">
        <img src="/console/icon.svg" alt="" width="24" height="24" />
        <span className="rail-label">Parley</span>
      </ScreenLink>
      <ul className="rail-list">
        {rail.map((name) => (
          <li key={name}>
            <Entry name={name} isCurrent={name === current} count={counts[name]} isIconOnly={isCollapsed} />
          </li>
        ))}
      </ul>
      <div className="rail-foot">
        <IconButton
          label={isCollapsed ? 'Show the names' : 'Only pictures'}
          icon={isCollapsed ? <PanelLeftOpen /> : <PanelLeftClose />}
          onClick={toggle}
        />
      </div>
    </nav>
  );
}

function BottomBar({ rail, current, counts }: RailProps) {
  const [isOpen, setOpen] = useState(false);
  const inBar = rail.slice(0, IN_BAR);
  const rest = rail.slice(IN_BAR);
  const waiting = rest.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
  return (
    <nav className="bar" aria-label="Main">
      {inBar.map((name) => (
        <Entry key={name} name={name} isCurrent={name === current} count={counts[name]} />
      ))}
      <button
        type="button"
        className={classes('rail-link', rest.includes(current) && 'rail-current')}
        onClick={() => setOpen(true)}
      >
        <span className="rail-icon">
          <Ellipsis />
        </span>
        <span className="rail-label">More</span>
        {waiting > 0 && <span className="rail-count number">{waiting}</span>}
      </button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Go to" size="s">
        <ul className="bar-rest">
          {rest.map((name) => (
            <li key={name}>
              {/* The link closes the sheet on its way. */}
              <span onClickCapture={() => setOpen(false)}>
                <Entry name={name} isCurrent={name === current} count={counts[name]} />
              </span>
            </li>
          ))}
        </ul>
      </Dialog>
    </nav>
  );
}

function Entry({
  name,
  isCurrent,
  count = 0,
  isIconOnly,
}: {
  readonly name: RailName;
  readonly isCurrent: boolean;
  readonly count?: number;
  readonly isIconOnly?: boolean;
}) {
  const title = RAIL_TITLES[name];
  const shown = count > 99 ? '99+' : String(count);
  return (
    <ScreenLink
      to={screensOf(name)[0]?.path ?? '/'}
      className={classes('rail-link', isCurrent && 'rail-current')}
      title={isIconOnly ? title : undefined}
    >
      <span className="rail-icon">{ICONS[name]}</span>
      <span className="rail-label">{title}</span>
      {count > 0 && (
        <span className="rail-count number">
          {shown}
          <span className="visually-hidden"> waiting</span>
        </span>
      )}
    </ScreenLink>
  );
}
