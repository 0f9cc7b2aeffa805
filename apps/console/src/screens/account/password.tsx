/** Owns one's own password. */
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { makeOld } from '../../api/make-old.ts';
import { refreshSession, useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { toast } from '../../ui/toast-store.ts';

const SHORTEST = 12;
const LONGEST = 256;

/** The form; without the password of before the server asks again who one is. */
export function PasswordCard() {
  const { hasPassword, person } = useSession();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const save = useAct(
    async () => {
      await request('PUT /api/account/password', {
        body: { password, ...(current !== '' && { current }) },
      });
      await refreshSession();
    },
    {
      isQuiet: true,
      onDone: () => {
        setCurrent('');
        setPassword('');
        makeOld('sessions');
        toast({ text: 'The password is set. Every other browser of yours was signed out.' });
      },
    },
  );
  const { current: ofCurrent, password: ofPassword } = save.error?.fields ?? {};
  const missing = SHORTEST - password.length;
  return (
    <Card
      title={hasPassword ? 'Change the password' : 'Set a password'}
      description="A new password signs you out in every other browser."
    >
      <form
        className="account-form"
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        {/* For password managers, which keep a password under a name. */}
        <input
          type="text"
          className="visually-hidden"
          autoComplete="username"
          value={person.email ?? ''}
          readOnly
          tabIndex={-1}
          aria-hidden
        />
        {hasPassword && (
          <Field label="Current password" error={ofCurrent}>
            <Input
              type="password"
              autoComplete="current-password"
              value={current}
              onText={setCurrent}
              maxLength={LONGEST}
            />
          </Field>
        )}
        <Field
          label="New password"
          hint={
            password !== '' && missing > 0 ? `${missing} more characters` : `At least ${SHORTEST} characters`
          }
          error={ofPassword ?? (ofCurrent === undefined ? save.error?.message : undefined)}
        >
          <Input
            type="password"
            autoComplete="new-password"
            value={password}
            onText={setPassword}
            maxLength={LONGEST}
          />
        </Field>
        <Button type="submit" isBusy={save.isBusy} disabled={missing > 0}>
          {hasPassword ? 'Change the password' : 'Set the password'}
        </Button>
      </form>
    </Card>
  );
}
