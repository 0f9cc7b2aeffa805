/** Owns the palette: every screen, every tool, posts, people, where one was last, and acts, found by typing. */
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { CircleHelp, Clock, LogOut, Monitor, Moon, Sun } from 'lucide-react';
import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { request } from '../api/request.ts';
import { signOut, useSession } from '../api/session.ts';
import type { Tool } from '../api/schema.ts';
import { useAct } from '../api/use-act.ts';
import { RAIL_TITLES, SCREENS } from '../screens.ts';
import { EffectBadge } from '../ui/badge.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { useGo } from '../ui/use-screen.ts';
import './palette.css';
import { FoundGroup, useFound } from './palette-found.tsx';
import { recentPlaces } from './recent.ts';
import { setTheme } from './theme.ts';
import type { Theme } from './theme.ts';

const MOST_TOOLS = 30;

/** The palette; it is there only while it is open. */
export function Palette({
  typed,
  onClose,
  onHelp,
}: {
  /** What was typed while this file was loading. */
  readonly typed: string;
  readonly onClose: () => void;
  readonly onHelp: () => void;
}) {
  const session = useSession();
  const goTo = useGo();
  const leave = useAct(signOut);
  const [text, setText] = useState(typed);
  const input = useRef<HTMLInputElement>(null);
  const { data: tools = [] } = useQuery({ queryKey: ['tools'], queryFn: () => request('GET /api/tools') });
  const close = (act: () => void) => () => {
    onClose();
    act();
  };
  const go = (to: string) => close(() => goTo(to));
  const theme = (next: Theme) => close(() => setTheme(next));
  const screens = SCREENS.filter((screen) => session.rail.includes(screen.rail));
  const found = findTools(tools, text);
  const { posts, people } = useFound(text);
  const open = (to: string) => go(to)();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="dialog-scrim" />
        <Dialog.Popup className="palette" aria-label="Search or jump to" initialFocus={input}>
          <Command label="Search or jump to" loop>
            <Command.Input
              ref={input}
              autoFocus
              value={text}
              onValueChange={setText}
              placeholder="Search screens, tools, posts, people and acts"
              className="palette-input"
              maxLength={100}
            />
            <Command.List className="palette-list">
              <Command.Empty className="palette-empty">Nothing has this name.</Command.Empty>
              {text === '' && (
                <Command.Group heading="Recent">
                  {recentPlaces().map((place) => (
                    <Item
                      key={place.to}
                      value={`recent ${place.to}`}
                      icon={<Clock />}
                      onSelect={go(place.to)}
                    >
                      {place.title}
                    </Item>
                  ))}
                </Command.Group>
              )}
              <Command.Group heading="Screens">
                {screens.map((screen) => (
                  <Item
                    key={screen.path}
                    value={`screen ${RAIL_TITLES[screen.rail]} ${screen.title}`}
                    onSelect={go(screen.path)}
                  >
                    <span className="grow">
                      {RAIL_TITLES[screen.rail] === screen.title ? (
                        ''
                      ) : (
                        <span className="muted">{RAIL_TITLES[screen.rail]} › </span>
                      )}
                      {screen.title}
                    </span>
                    {screen.keys !== undefined && <Kbd keys={screen.keys} />}
                  </Item>
                ))}
              </Command.Group>
              {found.length > 0 && (
                <Command.Group heading="Tools">
                  {found.map((tool) => (
                    <Item
                      key={`${tool.endpoint} ${tool.name}`}
                      value={`tool ${tool.name} ${tool.title} ${tool.endpoint}`}
                      onSelect={go(`/tools/${encodeURIComponent(`${tool.endpoint}:${tool.name}`)}`)}
                    >
                      <span className="grow truncate">
                        {tool.title} <span className="faint mono">{tool.name}</span>
                      </span>
                      <EffectBadge effect={tool.effect} />
                    </Item>
                  ))}
                </Command.Group>
              )}
              <FoundGroup heading="Posts" found={posts} text={text} onOpen={open} />
              <FoundGroup heading="People" found={people} text={text} onOpen={open} />
              <Command.Group heading="Acts">
                <Item value="theme light" icon={<Sun />} onSelect={theme('light')}>
                  Use the light theme
                </Item>
                <Item value="theme dark" icon={<Moon />} onSelect={theme('dark')}>
                  Use the dark theme
                </Item>
                <Item value="theme system" icon={<Monitor />} onSelect={theme('system')}>
                  Use the theme of the system
                </Item>
                <Item value="help keyboard" icon={<CircleHelp />} onSelect={close(onHelp)}>
                  Keyboard and help
                </Item>
                <Item value="sign out" icon={<LogOut />} onSelect={close(() => leave.run())}>
                  Sign out
                </Item>
              </Command.Group>
            </Command.List>
          </Command>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** All words must be there; few enough are shown to keep typing quick with thousands of tools. */
function findTools(tools: readonly Tool[], text: string): Tool[] {
  const words = text
    .toLowerCase()
    .split(/[\s_]+/)
    .filter(Boolean);
  if (words.length === 0) return [];
  const found: Tool[] = [];
  for (const tool of tools) {
    const about = `${tool.name} ${tool.title} ${tool.endpointTitle}`.toLowerCase();
    if (words.every((word) => about.includes(word))) found.push(tool);
    if (found.length >= MOST_TOOLS) break;
  }
  return found;
}

function Item({
  value,
  icon,
  onSelect,
  children,
}: {
  readonly value: string;
  readonly icon?: ReactNode;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Command.Item value={value} onSelect={onSelect} className="palette-item">
      {icon}
      {children}
    </Command.Item>
  );
}
