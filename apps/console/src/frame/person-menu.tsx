/** Owns the menu of the person: who one is, the account, the theme, help, the way out. */
import { CircleHelp, CircleUser, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { signOut, useSession } from '../api/session.ts';
import { useAct } from '../api/use-act.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Menu } from '../ui/menu.tsx';
import { useGo } from '../ui/use-screen.ts';
import { followTheme } from './shown-theme.ts';
import { readTheme, setTheme } from './theme.ts';

const THEMES = [
  { theme: 'system', label: 'Theme of the system', icon: <Monitor /> },
  { theme: 'light', label: 'Light', icon: <Sun /> },
  { theme: 'dark', label: 'Dark', icon: <Moon /> },
] as const;

/** The picture of the person, which opens the menu. */
export function PersonMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { person, version } = useSession();
  const theme = useSyncExternalStore(followTheme, readTheme);
  const leave = useAct(signOut);
  const go = useGo();
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="button button-quiet button-icon button-m"
          aria-label={`${person.name}: menu`}
        >
          <Avatar name={person.name} />
        </button>
      }
      items={[
        { heading: [person.name, person.email].filter(Boolean).join(' · ') },
        {
          label: 'Your account',
          icon: <CircleUser />,
          onSelect: () => go('/account'),
        },
        { label: 'Keyboard and help', icon: <CircleHelp />, shortcut: '?', onSelect: onHelp },
        'separator',
        ...THEMES.map((one) => ({
          label: one.label,
          icon: one.icon,
          isChecked: one.theme === theme,
          onSelect: () => setTheme(one.theme),
        })),
        'separator',
        { label: 'Sign out', icon: <LogOut />, onSelect: () => leave.run() },
        { heading: `Parley ${version}` },
      ]}
    />
  );
}
