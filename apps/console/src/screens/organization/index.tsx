/** Owns the screen Organization: people, roles, keys, projects, settings, sessions, the audit log, and who may what. */
import { useSession } from '../../api/session.ts';
import { Sections, sectionOf } from '../../ui/sections.tsx';
import { useScreen } from '../../ui/use-screen.ts';
import { Access } from './access.tsx';
import { Audit } from './audit.tsx';
import { Keys } from './keys/index.tsx';
import { Members } from './members/index.tsx';
import './grants/grants.css';
import './organization.css';
import { Projects } from './projects.tsx';
import { Roles } from './roles/index.tsx';
import { SessionsPart } from './sessions.tsx';
import { Settings } from './settings.tsx';

const EVERYBODY = [
  { id: 'members', title: 'Members' },
  { id: 'roles', title: 'Roles' },
  { id: 'keys', title: 'Keys' },
  { id: 'projects', title: 'Projects' },
  { id: 'settings', title: 'Settings' },
  { id: 'sessions', title: 'Sessions' },
] as const;

const ADMINISTRATORS = [
  ...EVERYBODY,
  { id: 'audit', title: 'Audit log' },
  { id: 'access', title: 'Access' },
] as const;

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const { isAdministrator } = useSession();
  const sections = isAdministrator ? ADMINISTRATORS : EVERYBODY;
  const section = sectionOf(screen, sections);
  return (
    <Sections screen={screen} sections={sections} label="Organization">
      {section === 'members' && <Members screen={screen} />}
      {section === 'roles' && <Roles screen={screen} />}
      {section === 'keys' && <Keys screen={screen} />}
      {section === 'projects' && <Projects screen={screen} />}
      {section === 'settings' && <Settings />}
      {section === 'sessions' && <SessionsPart screen={screen} />}
      {section === 'audit' && <Audit screen={screen} />}
      {section === 'access' && <Access screen={screen} />}
    </Sections>
  );
}
