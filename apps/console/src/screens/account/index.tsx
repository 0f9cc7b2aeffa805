/** Owns the screen of one's own account: name, e-mail, password, passkeys, and where one is signed in. */
import { useSession } from '../../api/session.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import './account.css';
import { Passkeys } from './passkeys.tsx';
import { PasswordCard } from './password.tsx';
import { Places } from './places.tsx';
import { Words } from './words.tsx';

/** The screen. */
export function Screen() {
  const { person, hasPassword, passkeys } = useSession();
  return (
    <Page title="Your account" description="The same in every organization that you belong to.">
      {!hasPassword && passkeys === 0 && (
        <Notice tone="amber">
          <strong>You have no sign-in of your own yet.</strong> A link works once. Make a passkey or set a
          password below, so that you need no other one.
        </Notice>
      )}
      <Words key={`${person.name} ${person.email}`} />
      <Passkeys />
      <PasswordCard />
      <Places />
    </Page>
  );
}
