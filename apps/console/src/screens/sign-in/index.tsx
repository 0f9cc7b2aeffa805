/** Owns the way in: the one-time link, a password, a passkey, or an API key. */
import { KeyRound } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { hasPasskeys, passkeyAnswer } from '../../api/passkey.ts';
import { signIn, signInOffer } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import './sign-in.css';

type Way = 'password' | 'key' | 'link';

/** The page for whoever is not signed in. */
export function SignIn() {
  const { methods } = signInOffer();
  const token = useRef(tokenInAddress());
  const byLink = useAct((value: string) => signIn({ method: 'link', token: value }), { isQuiet: true });
  const touch = useAct(async () => signIn({ method: 'passkey', ...(await passkeyAnswer()) }), {
    isQuiet: true,
  });
  const [way, setWay] = useState<Way>('password');
  useEffect(() => {
    const value = token.current;
    token.current = undefined;
    if (value === undefined) return;
    // It works once: neither the history nor a copied address should keep it.
    history.replaceState(null, '', location.pathname);
    byLink.run(value);
  }, [byLink]);
  const ways = (
    [
      { id: 'password', label: 'Password', content: <PasswordForm /> },
      { id: 'key', label: 'API key', content: <KeyForm /> },
      { id: 'link', label: 'Link', content: <LinkHelp /> },
    ] as const
  ).filter(({ id }) => methods.includes(id));
  const canTouch = methods.includes('passkey') && hasPasskeys();
  return (
    <main className="sign-in">
      <section className="sign-in-box">
        <img src="/console/icon.svg" alt="" width="40" height="40" />
        <h1>Sign in to Parley</h1>
        {byLink.isBusy && (
          <p className="muted" role="status">
            Signing you in with the link …
          </p>
        )}
        {byLink.error && (
          <p className="sign-in-error" role="alert">
            {byLink.error.message}
          </p>
        )}
        {canTouch && (
          <>
            <Button kind="primary" icon={<KeyRound />} isBusy={touch.isBusy} onClick={() => touch.run()}>
              Sign in with a passkey
            </Button>
            {touch.error && (
              <p className="sign-in-error" role="alert">
                {touch.error.message}
              </p>
            )}
            <div className="sign-in-or">or</div>
          </>
        )}
        <Tabs label="Ways to sign in" value={way} onChange={setWay} tabs={ways} />
      </section>
    </main>
  );
}

function tokenInAddress(): string | undefined {
  const inHash = new URLSearchParams(location.hash.slice(1)).get('token');
  return inHash ?? new URLSearchParams(location.search).get('token') ?? undefined;
}

function PasswordForm() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const enter = useAct(() => signIn({ method: 'password', email: email.trim(), password }), {
    isQuiet: true,
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        enter.run();
      }}
    >
      <Field label="E-mail">
        <Input
          type="email"
          name="email"
          autoComplete="username"
          value={email}
          onText={setEmail}
          required
          autoFocus
        />
      </Field>
      <Field label="Password" error={enter.error?.message}>
        <Input
          type="password"
          name="password"
          autoComplete="current-password"
          value={password}
          onText={setPassword}
          required
        />
      </Field>
      <Button kind="primary" type="submit" isBusy={enter.isBusy} disabled={email === '' || password === ''}>
        Sign in
      </Button>
    </form>
  );
}

function KeyForm() {
  const [key, setKey] = useState('');
  const enter = useAct(() => signIn({ method: 'key', key: key.trim() }), { isQuiet: true });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        enter.run();
      }}
    >
      <Field
        label="API key"
        hint="The owner's key is in the file owner.key of the data folder."
        error={enter.error?.message}
      >
        <Input type="password" autoComplete="off" value={key} onText={setKey} required />
      </Field>
      <Button kind="primary" type="submit" isBusy={enter.isBusy} disabled={key === ''}>
        Sign in
      </Button>
    </form>
  );
}

function LinkHelp() {
  return (
    <div className="stack">
      <p className="muted">
        The server prints a link at its first start. It works once, for 15 minutes. On the machine of the
        server, this prints another:
      </p>
      <CodeBlock text="npm run -s parley -- sign-in" />
    </div>
  );
}
