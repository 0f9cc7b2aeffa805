/** What people wish Harbor to work together with. */
export const INTEGRATION_POSTS = `
# Two-way sync with Google Calendar
integrations | complete | 100 | calendar
Tasks with a date should be in my calendar, and moving them there should move them here. One-way feeds exist, but I move things.
> All-day tasks as all-day events, please, not at midnight.
> Choose which projects. I don't want the company party in my calendar again.
> A deleted event should NOT delete the task.
>> [Samuel] It takes away the date, nothing else. We thought long about that one.
> What about shared calendars? Ours is "Studio".
>> [Samuel] Any calendar that you may write to.
> [later] Four weeks in, not a single double. Well done.
! [Samuel] Two-way sync is live. Choose projects and a calendar in your profile under "Connections".

# Outlook calendar
integrations | in_progress | 62 | calendar
Same thing for those of us in the other world.
> Exchange on premises too? Our hospital will never be in the cloud.
>> [Samuel] Only the cloud version for now, sorry. The read-only feed works with both.
> Teams meetings as tasks would be a second step.
! [Samuel] It's running in our own workspace, early access starts soon.

# Calendar feed per project
integrations | complete | 22 | calendar
A secret iCal address for each project, so that our volunteers can subscribe without accounts.
> Works with every calendar on earth, please never drop it.
! [Samuel] Project menu, "Calendar feed". You can replace the secret address at any time.

# Slack: make a task from a message
integrations | complete | 75 | notifications
"Can you have a look at..." and it's gone up the channel. Message, three dots, Harbor.
> Take the thread along as comments?
>> [Samuel] The link and the first message. The whole thread was too noisy when we tried.
> Post to the channel when it's done, so people stop asking.
! [Samuel] The app is in the Slack directory: make tasks from messages, unfurl links, and let a channel know when something is done.

# Microsoft Teams
integrations | planned | 46 | notifications
See Slack, but for the rest of us who didn't choose.
> Tab with a board in a channel.
> "Who didn't choose" made my day.
! [Samuel] Planned after the Outlook calendar, since both share the same sign-in.

# Discord notifications
integrations | open | 4 | notifications
We are a small game studio, everything happens on Discord.
> Webhook plus a bit of formatting works in the meantime, we do that.
>> [me] Care to share how?
>>> Sure: webhook to a 20-line script, script to Discord. I'll write it up.
> Guild planning. Don't judge.

# GitHub: link pull requests to tasks
integrations | complete | 56 | api
Mention a task in a pull request, and see on the card whether it's merged.
> Move the card when it is merged, optional.
> GitLab next!
> [later] Running it across 14 repositories, solid.
! [Jonas] Write the task's number anywhere in a pull request. The card shows its state and can move when it's merged.

# GitLab
integrations | planned | 24 | api
Like the GitHub one, also for self-hosted instances.
> Self-hosted is the important half for us.
> We mirror to GitHub only for this. Please end our misery.
! [Jonas] Planned, including self-hosted ones.
& GitHub: link pull requests to tasks

# Public API
integrations | complete | 90 | api
With a key, JSON, documentation that's true. I want to write a script that creates 200 tasks without feeling like a burglar.
> Rate limits in the headers please.
> Stable ids!
> OpenAPI file, then I generate my client.
>> [Samuel] It's generated from the same definitions that check the requests, so it cannot be wrong about them.
> [later] I wrote my script in an afternoon. The error messages are unusually good.
! [Samuel] The API is out: everything that the app does, with an OpenAPI document and examples.

# Webhooks
integrations | complete | 51 | api, automation
Polling every minute feels wrong for you and for me.
> Signed, please.
> Retries! Our server reboots on Sundays.
>> [Samuel] Signed, in order, repeated for about a day, and you can send a missed one again by hand.
! [Samuel] Choose events and boards, give an address, keep the secret. Deliveries with their answers are listed for each webhook.

# Zapier
integrations | complete | 32 | automation
I'm no programmer, but I can click boxes together.
> Triggers: new task, task done, new comment. Actions: make task, add comment. That covers it.
! [Samuel] Live with exactly these, and "task enters column".

# n8n node
integrations | open | 7 | automation, api
We host our automations ourselves. The HTTP node works with the API, but a proper one would be nicer.
> I've started one, it's on my Git server. Happy to give it to you.
>> [Samuel] Yes please! Write to me at integrations@harbor.example?
> Please announce it here when it's ready, I follow this post.
& Public API

# E-mail to task
integrations | complete | 60 | automation
Forward a mail to an address, get a task with the attachments. Every project its own address.
> Replies should become comments.
> Strip the eleven signatures and the legal notice.
>> [Jonas] Signatures: mostly. Legal notices: we keep a growing museum of them.
! [Jonas] Each project has an address (menu, "E-mail"). The subject is the title, attachments are kept, replies become comments.

# Gmail add-on
integrations | under_review | 17 |
A button beside the mail, instead of forwarding.
> And show in Gmail that a task exists for this conversation.
> [Samuel] Google's review for such add-ons takes months. We want to, but we are looking at the price.
> [Samuel, private] The security assessment alone is more than a month of hosting.

# Let my assistant work in Harbor over MCP
integrations | complete | 41 | api, automation
I'd like to say "put what we just discussed into Harbor, due Friday" to my assistant and have it done.
> Read access first, write access only when I say so.
>> [Samuel] That is how it works: you choose tool by tool what a key may do.
> Can it see private notes?
>> [Samuel] Only what the owner of the key sees, and every call is recorded.
> [later] Asked it to sort 60 loose tasks into projects. It asked back twice and was right both times. Slightly uncanny.
! [Samuel] Harbor speaks MCP. Make a key for your assistant in the workspace settings and choose what it may do.

# Let the assistant prepare the stand-up
integrations | open | 11 | api, automation
Every morning: what changed, who is stuck, what's late, in five lines in our channel.
> I'd trust it with collecting. Not with judging who's stuck.
>> [me] Collecting is all I want.
> [agent] The pieces exist: the daily summary has the changes, and webhooks tell about moves. What is missing is "stuck", which nobody has defined yet.
& Let my assistant work in Harbor over MCP

# Figma previews
integrations | complete | 28 | files
Paste a link, see the frame. Update when it changes.
> And comments? Just kidding. Unless...
! [Tomás] Frames show as live previews, refreshed when you open the card.

# Google Drive and Dropbox pickers
integrations | complete | 25 | files
Attach without download and upload.
> OneDrive, please, same request.
>> [Samuel] It's next in line.
! [Samuel] Both are in the attachment menu. Files stay where they are; Harbor keeps a link and a preview.

# Nextcloud
integrations | open | 12 | files
Our data has to stay in-house. WebDAV would be enough.
> Public administration here, same requirement.
> [Samuel] WebDAV is a nice common ground, thank you.
> WebDAV with app passwords works in our tests of other tools, no SSO needed.

# Toggl and other time trackers
integrations | planned | 16 | reporting
Start a timer from a card. You don't have to build time tracking yourself.
> Exactly, do not build it, connect it.
> Clockify, Harvest, Kimai: maybe a small extension point instead of one integration each?
>> [Samuel] That is the plan: a card can offer "start timer" to any connected service.

# Invoicing: hand over finished work
integrations | open | 5 | billing
Done tasks with hours to our invoicing tool, once a month.
> Which one? There are hundreds.
>> [me] Lexware here. A CSV in a shape that I can choose would be fine for all of them.
> sevDesk would be great for us.

# HubSpot: a project for every won deal
integrations | open | 8 | automation, templates
From the right template, with the client's name in it.
> With Zapier it works halfway, only the template cannot be chosen.
>> [Samuel] Choosing a template is coming to the Zapier action this month.
> Pipedrive user, same need.
> Salesforce, same story, larger invoice.
& Zapier

# Obsidian
integrations | open | 2 |
Links both ways between notes and tasks.
> Logseq friends say hi.
> harbor:// links that open the desktop app would be a start.
> I paste links by hand. Every day. It's fine. It's not fine.

# Notion import
integrations | complete | 11 | export
Databases to projects. We've got nine.
> Relations between databases will be the hard part.
! [Samuel] Upload Notion's own export. Relations become links between tasks.

# Sentry: a task for each new error
integrations | open | 3 | api
Only new ones, grouped, with a link. Not one per crash, we'd drown.
> Webhook to webhook is what we do.
> [Jonas] I'd use that one myself.
> And close it when the error hasn't come back for a week?
& Webhooks

# Home Assistant
integrations | open | 2 | api
My washing machine should create the task "hang up the laundry".
> This is the future we were promised.
> The API can do it, I have it running: washer power under 3 watts for two minutes, POST a task. My family ignores the task.
> Mine is the letter box. It works better than the postman.
& Public API

# SCIM: create and remove users automatically
integrations | under_review | 6 | permissions
HR adds a person, the person is in Harbor. HR removes a person, gone. I am tired of being the person in between.
> At least deactivate automatically, that's the security part.
> [Samuel] Reviewing together with single sign-on.

# My tasks in my normal calendar
integrations | complete | 9 | calendar
I look at my phone's calendar all day and at Harbor twice. Can the two talk to each other?
> Which calendar do you use? There's a post for Google and one for Outlook.
>> [me] Google, on an Android phone.
> [agent] This looks like "Two-way sync with Google Calendar", which has the same wish and more votes.
= Two-way sync with Google Calendar

# Command line client
integrations | open | 5 | api, keyboard
harbor add "Buy coffee" --due friday
> There's one that I wrote on top of the API, MIT licence. Looking for testers!
>> [Jonas] Testing it since this morning. Very nice.
> Shell completion for project names and I'm sold.
> harbor done 3 is the command I type in my dreams.
& Public API
`;
