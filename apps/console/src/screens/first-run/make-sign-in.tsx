/** Owns the first step: a password or a passkey, so that the link is not needed again. */
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { hasPasskeys, makePasskey } from '../../api/passkey.ts';
import { queryClient } from '../../api/query.ts';
import { refreshSession, useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Field, Input } from '../../ui/field.tsx';

const SHORTEST = 12;

async function afterwards(): Promise<void> {
  await refreshSession();
  await queryClient.invalidateQueries({ queryKey: ['calls', 'first-run'] });
}

/** The form. */
export function MakeSignIn() {
  const { person } = useSession();
  const [email, setEmail] = useState(person.email ?? '');
  const [password, setPassword] = useState('');
  const save = useAct(
    async () => {
      if (email.trim() !== person.email) await request('PUT /api/account', { body: { email: email.trim() } });
      await request('PUT /api/account/password', { body: { password } });
      await afterwards();
    },
    { isQuiet: true },
  );
  const touch = useAct(
    async () => {
      await makePasskey('This device');
      await afterwards();
    },
    { isQuiet: true },
  );
  const fields = save.error?.fields ?? {};
  const isEmailWrong = fields['email'] !== undefined;
  const tooShort = password !== '' && password.length < SHORTEST;
  return (
    <div className="stack">
      {hasPasskeys() && (
        <div className="row-wrap">
          <Button kind="primary" icon={<KeyRound />} isBusy={touch.isBusy} onClick={() => touch.run()}>
            Make a passkey
          </Button>
          <span className="muted small">Your fingerprint, face or screen lock. Nothing to remember.</span>
        </div>
      )}
      {touch.error && (
        <p className="field-error" role="alert">
          {touch.error.message}
        </p>
      )}
      <form
        className="first-run-password"
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        <Field label="E-mail" error={fields['email']}>
          <Input type="email" autoComplete="username" value={email} onText={setEmail} required />
        </Field>
        <Field
          label="Password"
          hint={
            tooShort ? `${SHORTEST - password.length} more characters` : `At least ${SHORTEST} characters`
          }
          error={fields['password'] ?? (isEmailWrong ? undefined : save.error?.message)}
        >
          <Input type="password" autoComplete="new-password" value={password} onText={setPassword} required />
        </Field>
        <Button type="submit" isBusy={save.isBusy} disabled={password.length < SHORTEST || email === ''}>
          Save the password
        </Button>
      </form>
    </div>
  );
}
