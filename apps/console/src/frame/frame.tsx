/** Owns what is around every screen: who is signed in decides between the way in and the frame. */
import { Outlet, useLocation } from '@tanstack/react-router';
import { Suspense, lazy, useEffect, useState } from 'react';
import { loadCode } from '../api/load-code.ts';
import { cameByLink, useSession, useSessionQuery } from '../api/session.ts';
import type { Session } from '../api/schema.ts';
import { SCREENS } from '../screens.ts';
import { Button } from '../ui/button.tsx';
import { ErrorState } from '../ui/states.tsx';
import { Toaster } from '../ui/toaster.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { useGo } from '../ui/use-screen.ts';
import { applyAccent } from './accent.ts';
import './frame.css';
import { FreshSignIn } from './fresh-sign-in.tsx';
import { HelpOverlay } from './help-overlay.tsx';
import { LostServer } from './live-status.tsx';
import { PaletteDoor } from './palette-door.tsx';
import { Rail, railOf } from './rail.tsx';
import { usePageTitle } from './page-title.ts';
import { rememberPlace } from './recent.ts';
import { ScreenMissing } from './screen-states.tsx';
import { followTheme } from './shown-theme.ts';
import { SubNavigation } from './sub-navigation.tsx';
import { TopBar } from './top-bar.tsx';

const SignIn = lazy(async () => ({
  default: (await loadCode(() => import('../screens/sign-in/index.tsx'))).SignIn,
}));
const SIGN_IN_PATH = '/sign-in';

/** The page. */
export function Frame() {
  const session = useSessionQuery();
  const { pathname } = useLocation();
  usePageTitle(session.data === null ? undefined : pathname);
  return (
    <>
      {session.data ? (
        // Nothing that was open for one member goes on for another.
        <SignedIn key={session.data.person.id} />
      ) : session.data === null ? (
        <Suspense>
          <SignIn />
        </Suspense>
      ) : session.error ? (
        <ErrorState error={session.error} onRetry={() => session.refetch()} />
      ) : null}
      <Toaster />
    </>
  );
}

/** Whoever came with a link and has no other way in is led to make one. */
function startOf({ isFirstRun, hasPassword, passkeys }: Session): string {
  if (isFirstRun) return '/first-run';
  return cameByLink() && !hasPassword && passkeys === 0 ? '/account' : '/';
}

function SignedIn() {
  const session = useSession();
  const { pathname } = useLocation();
  const go = useGo();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const keys = SCREENS.flatMap((screen) =>
    screen.keys === undefined ? [] : [[screen.keys, () => go(screen.path)]],
  );
  useKeys({
    'mod+k': () => setPaletteOpen(true),
    '?': () => setHelpOpen(true),
    ...Object.fromEntries(keys),
  });
  const isAtSignIn = pathname === SIGN_IN_PATH;
  useEffect(() => {
    // The link was used: what is left of it must not stay in the address.
    if (isAtSignIn) go(startOf(session), { isReplaced: true });
  }, [isAtSignIn, go, session]);
  useEffect(() => rememberPlace(pathname), [pathname]);
  const { accent } = session.organization;
  useEffect(() => {
    applyAccent(accent);
    return followTheme(() => applyAccent(accent));
  }, [accent]);
  if (isAtSignIn) return null;
  return (
    <div className="frame">
      <Button className="frame-skip" onClick={() => document.querySelector<HTMLElement>('#content')?.focus()}>
        Skip to the content
      </Button>
      <Rail />
      <div className="frame-column">
        <TopBar onSearch={() => setPaletteOpen(true)} onHelp={() => setHelpOpen(true)} />
        <LostServer />
        <SubNavigation />
        <main id="content" className="frame-main" tabIndex={-1}>
          {session.rail.includes(railOf(pathname)) ? <Outlet /> : <ScreenMissing />}
        </main>
      </div>
      {isPaletteOpen && (
        <PaletteDoor onClose={() => setPaletteOpen(false)} onHelp={() => setHelpOpen(true)} />
      )}
      <HelpOverlay isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
      <FreshSignIn />
    </div>
  );
}
