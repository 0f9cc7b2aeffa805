/** Owns the second row of places: the screens of one rail entry. */
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { screensOf } from '../screens.ts';
import { ScreenLink } from '../ui/screen-link.tsx';
import '../ui/tabs.css';
import { railOf } from './rail.tsx';

/** Tabs over the screen, where its rail entry has more than one. */
export function SubNavigation() {
  const { pathname } = useLocation();
  const screens = screensOf(railOf(pathname));
  const bar = useRef<HTMLElement>(null);
  // On a phone the bar is wider than the window.
  useEffect(() => {
    bar.current
      ?.querySelector('[aria-current="page"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  if (screens.length < 2) return null;
  return (
    <nav ref={bar} className="sub" aria-label="Screens">
      {screens.map((screen) => (
        <ScreenLink
          key={screen.path}
          to={screen.path}
          className="tabs-tab"
          isCurrent={pathname.startsWith(screen.path)}
        >
          {screen.title}
        </ScreenLink>
      ))}
    </nav>
  );
}
