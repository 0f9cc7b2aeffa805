/** Several people on one server: what a member sees, a role that goes while its screen is open, sessions of others, and changes that show at others. */
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import { openPage, tokenOf } from '../product/annotations-page.ts';
import { callTool } from '../product/mcp-messages.ts';
import type { ConsoleBed, Tab } from './console-bed.ts';
import { keepPicture, lookAt, openConsole, settled, violations } from './console-bed.ts';

const LONG_MS = 120_000;
const NORA = 'nora@acme.example';
const ALEX = 'alex@acme.example';
/** What the role gives besides what every member has. */
const WATCHING = {
  self: ['MONITORING_LOGS_LIST', 'MONITORING_STATS'],
  tasks: ['start_long_running_task'],
};

describeInBrowser('several people', () => {
  let bed: ConsoleBed;
  let join: (email: string, name: string, roles: string[]) => Promise<string>;
  let setRoles: (memberId: string, roles: string[]) => Promise<unknown>;
  let nora: { memberId: string; tab: Tab; refused: string[] };

  beforeAll(async () => {
    bed = await openConsole(['--demo', '--allow-egress', '127.0.0.1']);
    const { identity } = bed.server.app.host;
    const owner = await bed.server.signedIn();
    const { person, organization } = (await owner.ask('GET /api/session')).body.data;
    const by = (await identity.callerOfMember(organization.id, person.id))!;
    await identity.roles.save(by, { name: 'watcher', grants: WATCHING });
    join = async (email, name, roles) => {
      const userId = await identity.ensureUser({ email, name });
      return identity.addMember(by, { userId, roles });
    };
    setRoles = (memberId, role) => owner.call('self', 'ORGANIZATION_MEMBER_UPDATE_ROLE', { memberId, role });
    const memberId = await join(NORA, 'Nora Narrow', ['member']);
    const tab = await bed.open({ who: NORA });
    const refused: string[] = [];
    tab.page.on('response', (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() >= 400)
        refused.push(`${response.status()} ${response.request().method()} ${pathname}`);
    });
    nora = { memberId, tab, refused };
  }, LONG_MS);
  afterAll(() => bed[Symbol.asyncDispose]());

  const railOf = ({ page }: Tab) => page.locator('.rail-list .rail-label').allTextContents();
  const named = async ({ page }: Tab) => {
    const texts = await page.locator('main button:visible, main a:visible').allTextContents();
    return new Set(texts.map((text) => text.trim()));
  };

  test(
    'a member has the places of their grants, and no act that the server would refuse',
    { timeout: LONG_MS },
    async () => {
      const { tab, memberId, refused } = nora;
      await settled(tab.page);
      // Who came with a link and has no other way in is led to make one.
      expect(await tab.page.evaluate(() => location.pathname)).toBe('/console/account');
      expect(await railOf(tab)).toEqual([
        'Home',
        'Feedback',
        'Tasks',
        'Agents',
        'Connections',
        'Tools',
        'Organization',
      ]);
      const absent: Readonly<Record<string, readonly string[]>> = {
        '/feedback/boards': ['New board'],
        '/feedback/boards/statuses': ['New status'],
        '/feedback/roadmap': ['New roadmap'],
        '/feedback/changelog': ['New entry'],
        '/feedback/people': ['Invite'],
        '/feedback/settings': ['Save'],
        '/feedback/import': ['Check the file', 'Export'],
        '/connections': ['Add', 'Add a connection', 'Test all'],
        '/virtual-mcps': ['New virtual MCP'],
        '/tools': ['Organization Delete'],
        '/organization/members': ['Invite'],
        [`/organization/members/${memberId}`]: ['Save the roles', 'Add', 'Leave the organization'],
        '/organization/roles': ['New role'],
        '/organization/projects': ['New project'],
        '/organization/settings': ['Save', 'Make one', 'Delete'],
      };
      for (const [path, acts] of Object.entries(absent)) {
        await tab.go(path);
        const shown = await named(tab);
        expect([path, acts.filter((act) => shown.has(act))]).toEqual([path, []]);
      }
      await tab.go('/organization/sessions');
      expect(await tab.page.getByRole('heading', { name: 'Your sessions' }).isVisible()).toBe(true);
      expect([refused, tab.faults]).toEqual([[], []]);

      // An address alone opens nothing, and the part for administrators is not one of the others'.
      for (const path of ['/monitoring', '/annotations', '/events']) {
        await tab.go(path);
        await tab.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      }
      await tab.go('/organization/audit');
      expect(await tab.page.getByRole('table', { name: 'Audit log' }).count()).toBe(0);
      expect(refused).toEqual([]);
    },
  );

  test(
    'a role that is given and taken shows at once, on the screen that is open',
    { timeout: LONG_MS },
    async () => {
      const { tab, memberId } = nora;
      await tab.go('/');
      await setRoles(memberId, ['member', 'watcher']);
      await tab.page.locator('.rail-list', { hasText: 'Monitoring' }).waitFor();
      await tab.go('/monitoring/calls');
      await tab.page.getByRole('table', { name: 'Calls' }).waitFor();
      await setRoles(memberId, ['member']);
      await tab.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await tab.page.locator('.rail-list', { hasText: 'Monitoring' }).waitFor({ state: 'detached' });
      await keepPicture(tab.page, 'role-taken');
      expect(await tab.page.getByRole('table', { name: 'Calls' }).count()).toBe(0);
      // Nobody is asked to sign in again.
      await tab.page.getByRole('navigation', { name: 'Main' }).waitFor();
    },
  );

  test(
    'a member follows the task that they began, with all that it said, and sees none of others',
    { timeout: LONG_MS },
    async () => {
      const { tab, memberId } = nora;
      const { page } = tab;
      await callTool(bed.server, 'start_long_running_task', { steps: 1, delayMs: 100 });
      await setRoles(memberId, ['member', 'watcher']);
      const own = await bed.server.signedIn(NORA);
      const { taskId } = await own.call('tasks', 'start_long_running_task', { steps: 3, delayMs: 100 });
      await own.ask('DELETE /api/session');
      await setRoles(memberId, ['member']);
      await tab.go('/tasks');
      const rows = page.getByRole('table', { name: 'Tasks' }).locator('.table-data');
      await rows.first().waitFor();
      await expect.poll(() => rows.count()).toBe(1);
      await tab.go(`/tasks/${taskId}`);
      const said = page.locator('.tasks-said > li .grow');
      await expect
        .poll(() => said.allTextContents(), { timeout: LONG_MS })
        .toEqual(['Step 3 of 3', 'Step 2 of 3', 'Step 1 of 3']);
      await page.getByText('completed').first().waitFor();
      await keepPicture(page, 'task-said');
      expect(await violations(page)).toEqual([]);
      expect(tab.faults).toEqual([]);
    },
  );

  test(
    'an owner sees the browsers of all and signs somebody out; an administrator ends no owner’s',
    { timeout: LONG_MS },
    async () => {
      await join(ALEX, 'Alex Admin', ['admin']);
      const [alex, owner] = [await bed.open({ who: ALEX }), await bed.open()];
      await alex.go('/organization/sessions?q=owner');
      const places = alex.page.getByRole('table', { name: 'Sessions' });
      await places.getByRole('checkbox', { name: 'Select the row' }).first().click();
      await alex.page.getByRole('toolbar').getByRole('button', { name: 'Sign out' }).click();
      await alex.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
      await alex.page.getByText('Only an owner can change or remove an owner').waitFor();
      await owner.go('/organization/sessions?q=nora');
      // By keyboard: the row of Nora is chosen and ended.
      await owner.page.keyboard.press('j');
      await owner.page.keyboard.press('x');
      await owner.page.getByRole('toolbar').getByRole('button', { name: 'Sign out' }).press('Enter');
      await owner.page.getByRole('dialog').getByText('Nora Narrow').waitFor();
      await owner.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).press('Enter');
      await nora.tab.page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
      await owner.page.getByText('Signed out there.').waitFor();
      await owner.go('/organization/audit?action=session.ended');
      await owner.page.getByRole('button', { name: 'session.ended' }).first().waitFor();
      expect([alex.faults, owner.faults]).toEqual([[], []]);
      await Promise.all([alex, owner, nora.tab].map(({ context }) => context.close()));
    },
  );

  test(
    'what one changes shows at another by itself: notes, tasks, connections, events, members',
    { timeout: LONG_MS },
    async () => {
      await using upstream = await startUpstream({ era: '2026', tools: [plainTool('ping')] });
      await join('vera@acme.example', 'Vera Viewer', ['admin']);
      const [watching, acting] = [await bed.open({ who: 'vera@acme.example' }), await bed.server.signedIn()];
      const { page } = watching;
      const shows = async (path: string, text: string, act: () => Promise<unknown>) => {
        await watching.go(path);
        expect([path, await page.getByText(text).count()]).toEqual([path, 0]);
        await act();
        await page.getByText(text).first().waitFor();
      };
      const { tag } = (await acting.ask('GET /api/annotations/page-tokens/tag')).body.data;
      const note = await openPage(bed.server.url, tokenOf(tag));
      let noteId = '';
      await shows('/annotations', 'Said elsewhere', async () => {
        noteId = await note.annotate('Said elsewhere');
      });
      await page.getByText('Said elsewhere').first().click();
      await acting.ask(`POST /api/annotations/${noteId}/replies`, { body: { message: 'Heard elsewhere' } });
      await page.getByText('Heard elsewhere').first().waitFor();
      note.close();
      await shows('/tasks?state=working', 'of 900', () =>
        callTool(bed.server, 'start_long_running_task', { steps: 900, delayMs: 200 }),
      );
      const data = { title: 'Plugged elsewhere', connection_type: 'HTTP', connection_url: upstream.url };
      await shows('/connections', data.title, () =>
        acting.call('self', 'COLLECTION_CONNECTIONS_CREATE', { data }),
      );
      await shows('/events/stream', 'elsewhere.happened', () =>
        acting.call('self', 'EVENT_PUBLISH', { type: 'elsewhere.happened', data: {} }),
      );
      await shows('/organization/members', 'Petra Pending', () =>
        join('petra@acme.example', 'Petra Pending', ['member']),
      );
      expect(watching.faults).toEqual([]);
      await watching.context.close();
    },
  );

  test(
    'people look after their own name, password, passkeys and sessions',
    { timeout: LONG_MS },
    async () => {
      await join('iris@acme.example', 'Iris', ['member']);
      const { page, context, faults } = await bed.open({ who: 'iris@acme.example' });
      const elsewhere = await bed.server.signedIn('iris@acme.example');
      const devtools = await context.newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
        },
      });
      const unsafe = page.getByText('You have no sign-in of your own yet.');
      await unsafe.waitFor();
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Iris Ito');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: 'Iris Ito: menu' }).waitFor();

      await page.getByRole('textbox', { name: 'Name of the device' }).fill('Laptop');
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByRole('button', { name: 'Remove the passkey “Laptop”' }).click();
      await page.getByRole('dialog').getByText('Your only way to sign in').waitFor();
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await unsafe.waitFor();

      expect((await elsewhere.ask('GET /api/session')).status).toBe(200);
      await page.getByLabel('New password').fill('password1234');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await page.getByRole('alert').getByText('common').waitFor();
      await page.getByLabel('New password').fill('quartz candle ferry mango');
      await page.getByRole('button', { name: 'Set the password' }).click();
      await unsafe.waitFor({ state: 'hidden' });
      expect((await elsewhere.ask('GET /api/session')).status).toBe(401);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test(
    'notes are found by page and project, and a source line opens in one’s editor',
    { timeout: LONG_MS },
    async () => {
      const owner = await bed.server.signedIn();
      const { data: notes } = (await owner.ask('GET /api/annotations?limit=100')).body;
      const { annotation, session } = notes.find(
        (note: { annotation: { sourceFile?: string } }) => note.annotation.sourceFile !== undefined,
      );
      const { page, go, context, faults } = await bed.open();
      await go(`/annotations?url=${encodeURIComponent(session.url)}&project=${session.projectId}`);
      const onPage = notes.filter((note: (typeof notes)[0]) => note.session.url === session.url);
      const table = page.getByRole('table', { name: 'Annotations' });
      expect(await table.getAttribute('aria-rowcount')).toBe(String(onPage.length + 1));
      await page
        .locator('.chip')
        .getByText(/open of \d+\)/)
        .first()
        .waitFor();
      await go(`/annotations/${annotation.id}`);
      await page.getByRole('button', { name: 'Open in editor' }).click();
      await page.getByRole('textbox', { name: 'Folder of the project' }).fill('/home/ada/shop');
      await keepPicture(page, 'editor-dialog');
      await page.keyboard.press('Enter');
      const link = page.getByRole('link', { name: 'Open in VS Code' });
      const [file = ''] = annotation.sourceFile.split(':');
      expect(await link.getAttribute('href')).toContain(`vscode://file/home/ada/shop/${file}`);
      await keepPicture(page, 'editor-link');
      // Its place in the palette bears its name.
      expect(await page.evaluate(() => localStorage.getItem('parley.recent'))).toContain(
        'Annotations: Note ',
      );
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test('looks right, in both themes and on a phone', { timeout: LONG_MS }, async () => {
    const owner = await bed.server.signedIn();
    const [note] = (await owner.ask('GET /api/annotations?limit=1')).body.data;
    const [task] = (await owner.ask('GET /api/tasks?state=completed')).body.data.tasks;
    const screens = {
      annotations: '/annotations',
      note: `/annotations/${note.annotation.id}`,
      tasks: '/tasks',
      'task-ended': `/tasks/${task.id}`,
      'organization-sessions': '/organization/sessions',
      'organization-projects': '/organization/projects',
      'events-subscriptions': '/events/subscriptions',
      'events-schedules': '/events/schedules',
      'virtual-mcps': '/virtual-mcps',
    };
    expect(await lookAt(bed, screens)).toEqual([]);
  });
});
