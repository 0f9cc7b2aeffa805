/** What people wish for every day: phones, offline work, import and export, reports, languages, plans and prices. */
export const EVERYDAY_POSTS = `
# Work offline
features | in_progress | 110 | mobile
I commute through eleven tunnels and one country with expensive roaming. Harbor shows a spinner where my list was.
> Reading offline would be 80 percent of it.
>> Reading first, please ship that without waiting for the rest.
> Farm, no signal in the stable. Ticking off tasks there would make my life easier.
> What happens if two people change the same task while offline?
>> [Aiko] Different fields: both win. Same field: the later one wins and the other is kept in the history, with a note.
> Will it work in the browser as well, or only in the apps?
>> [Aiko, pin] Apps first. The browser shares most of the code, so probably later this year.
> [Jonas, private] Sync engine holds up with 10,000 tasks on the old test phone. 400 ms cold. I am happy.
> Mountain rescue volunteer here. I vote with both hands.
! [Aiko] Reading offline is out for testers on both phones. Changing things offline is being built; we take our time, since losing data is worse than waiting.

# A real app for the iPad
features | planned | 27 | mobile
The phone app in large is not an iPad app. Two columns, keyboard shortcuts, pencil.
> Split view beside mail, that's where I live.
> The website on the iPad works OK, except that dragging cards fights with scrolling.
>> [Aiko] The fight is being fixed this month, apart from the app.
> Pencil notes on PDFs and I sell my laptop.
! [Aiko] Planned after offline. Sidebar, list and card side by side, all shortcuts of the desktop.

# Widget with today's tasks
features | complete | 52 | mobile
On the home screen, three lines, tappable.
> Android too, not only iOS please!
> Ticking off directly in the widget.
! [Aiko] Small and medium on both systems. You can tick off in it, where the system allows that.

# Share to Harbor from other apps
features | complete | 36 | mobile
A link, a photo, a mail: share, choose Harbor, done. I currently send things to myself by e-mail.
> 2,311 mails to myself since January.
> Choose the project while sharing, remember the last one.
! [Aiko] It is in the share sheet now and remembers your last project.

# Take a photo straight into a task
features | complete | 14 | mobile, files
Building inspection: forty photos, each is a defect. Photo first, title later.
> Yes, for damage reports as well.
> Several photos in a row without leaving the camera, please.
! [Aiko] Hold the plus button. Each photo becomes a task, titles can come later.

# Apple Watch
features | open | 6 | mobile
Only to tick off things and to see the next one. Nothing else.
> And start a timer, if that ever comes.
> Wear OS exists!
> For nurses: hands full, phone in the locker. A watch would matter.

# Harbor is too slow on my old phone
features | under_review | 9 | mobile, performance
A five year old mid-range Android. Opening a board takes twelve seconds. Other apps are fine.
> Same device class here, eight seconds.
> [Aiko] Thank you. We bought three phones of that age and I now use one of them every day. It is humbling.
>> [Aiko] Update: 12 seconds are down to 5 in the beta. Not done yet.
> Budget phones are what our drivers have. Please keep going.
> [Aiko, private] Most of the 12 seconds are fonts and the calendar library. I have a plan.

# Import from a spreadsheet
features | complete | 67 | export
We have a list with 640 rows. I'm not typing this.
> Show a preview before it creates 640 wrong things, please.
> Dates like 03/04/25: ask me which one is the month!
>> [Samuel] It looks for a row that can only be read one way, and asks you if there's none.
> Undo of the whole import would take away my fear.
>> [Samuel] There's one, for a day.
! [Samuel] Drop a CSV or Excel file onto a project. You see a preview, choose the columns, and may take back the whole import for 24 hours.

# Import from other planners
features | in_progress | 44 | export
Boards, cards, comments, members. We would switch tomorrow if our history came along.
> Comments with their dates and authors matter most to us.
> Attachments too, or at least links to them.
! [Samuel] Two are ready (those that most of you named), two more are being built. Write to us if yours is missing, we will tell you honestly when.

# Export everything, in a format that outlives you
features | complete | 29 | export
No offence. I was burned by a tool that closed within 30 days.
> None taken, I guess? :) Same history here, JSON and files in one archive please.
> A schedule for it would be perfect: every Sunday to our storage.
>> [Samuel] Every plan can export by hand, scheduled ones are on the Business plan.
! [Samuel] Workspace settings, "Export": one archive with JSON, CSV and all files, documented. No offence taken.

# Print a board or a list
features | open | 4 | export
My workshop has sawdust and no screens. I print the list on Monday and it hangs at the saw.
> Print styles for the list view would take a day, I'd guess. Please.
> I take a screenshot. It looks like one.
> Saw, sawdust, paper. I feel seen.

# Monthly report: what did we get done
features | planned | 38 | reporting
For each project: finished, added, moved. One page. I write it by hand for three clients.
> With a sentence that I can add on top. Pure numbers offend clients.
> Send as PDF automatically on the first of the month.
> "Moved" is the honest part. Keep that one.
! [Maya] Planned: a report per project and month that you can edit before it goes out.

# How long do tasks stay in a column?
features | open | 11 | reporting
I suspect that "Waiting for client" is where our year goes. I'd like to prove it.
> The data is in the activity, isn't it?
>> [Jonas] It is. A small chart per column would be honest work for a week.
>>> Please have that week :)
> Mine is "Waiting for legal". I do not need the proof, but I'd like the chart.

# Workload: who has too much
features | planned | 57 | reporting, timeline
Petra never complains. Petra has 74 open tasks. We found out when Petra was on sick leave.
> Get well, Petra.
> Count hours if estimates exist, else count tasks.
> Careful that it isn't used for ranking people.
>> [Maya] It will show load against a person's own working hours, no ranking, no history.
! [Maya] Planned together with estimates and working hours, since they only make sense as one.

# Goals for the quarter
features | under_review | 8 | reporting
Three sentences on top of everything, each with the projects that serve it. No percentages.
> No percentages! Finally someone says it.
> [Maya] We like the modesty of this. Reviewing.
> Three sentences fit on the TV in the hall, too.

# Harbor in Polish
features | complete | 13 | localization
Half of our team is in Wrocław and not everybody is comfortable in English. We would help with the translation.
> Chętnie pomogę!
> Me too, I have worked as a translator.
>> [Priya] Thank you both! Invitations to the translation project are on the way.
! [Priya] Polish is here, thanks to five of you who translated 2,900 sentences. Dziękujemy!

# Arabic and right-to-left
features | planned | 18 | localization, accessibility
The text is one thing, the layout is another. The timeline must run from right to left as well.
> Hebrew as well, same layout work.
> Numbers stay left to right inside the text, many get that wrong.
>> [Tomás] We read that twice and tested it. Thank you.
! [Tomás] Planned. We have started to replace left and right by start and end everywhere.

# Japanese: names in the right order
features | complete | 4 | localization, quick win
Family name first, and no "Hi Tanaka" in mails, that is rude. Thank you.
> Hungarian too, by the way. Family name first.
> [Aiko] I should have noticed this one myself. Sorry!
! [Aiko] Names follow the language of the reader's profile, and mails greet with the full name.

# 24-hour clock
features | complete | 21 | localization, quick win
I am in an English interface, in Europe. It insists on 2 PM.
> Language and format are different things. Same for dates.
! [Jonas] Your profile has a setting for each now: language, dates, clock, first day of the week.

# Keyboard shortcuts everywhere, and a page that lists them
features | complete | 25 | keyboard, accessibility
A question mark should open the list. j and k to move, e to edit, d for the date.
> Let me change them, Dvorak user.
>> [Jonas] Rebinding is on my own wish list, not scheduled though.
! [Jonas] Press the question mark. Everything that can be clicked has a key now.

# Screen reader: moving cards between columns
features | complete | 10 | accessibility
I use NVDA. I can read the board but not move a card. My colleagues do it for me, which I do not want.
> Blind user as well (VoiceOver). Lists are fine, boards are not.
> [Tomás] You are right, and it's not acceptable. We have asked two testers who use screen readers daily to work with us on it.
> [later] Moved my first card by myself today. Space, arrow, arrow, space. Thank you.
! [Tomás] Cards can be picked up with space, moved with the arrow keys, and every step is announced. Tested with NVDA, JAWS and VoiceOver.

# Reduce motion
features | complete | 3 | accessibility, quick win
The confetti when a project is finished makes me dizzy. Honour the system setting please.
> I love the confetti, but agree.
! [Tomás] Confetti, sliding panels and the bouncing bell respect "reduce motion" now.

# Pay by invoice
features | complete | 20 | billing
Our accounting department does not have a credit card. I'm paying with my own.
> Schools and public offices all need this.
> SEPA direct debit would be even simpler.
> [later] Accounting said thank you. In writing. I framed it.
! [Priya] Yearly plans can be paid by invoice, worldwide, from five seats. SEPA debit works for monthly plans too.

# Price for non-profits
features | complete | 15 | billing
We're nine volunteers who run a food bank. The full price is a lot of rice.
> Second this, a youth club here.
> [Maya] You shouldn't have had to ask.
! [Maya] Registered non-profits and schools pay half, food banks nothing. Write to support, we do it by hand and with pleasure.

# Only pay for active members
features | under_review | 12 | billing
Seasonal business. In winter we're 4, in summer 22. Adding and removing people loses their history.
> Ski school here, same in reverse. We should share a plan!
>> [me] Brilliant. Harbor, make it happen.
> [Priya] This made the whole team smile. A "resting" member who keeps everything but pays nothing is under review.
> Festival team: 3 people for ten months, 60 for two.
> [Maya, private] Roughly 4 percent of our revenue are sleeping seats. I would still do it, they come back in spring because they trust us.

# Remember the last project when creating a task
features | complete | 9 | quick win
It always starts in "Inbox". It is never Inbox.
> Or take the one that I'm looking at.
! [Jonas] It takes the project that you are looking at, otherwise the last one.

# Sound when a task is done
features | open | 1 |
A tiny, satisfying tick. Off by default of course.
> Give us the sound of a ship's bell and I'm in.
>> [Tomás] Harbor. Ship's bell. How did we not think of that.
> Cats would like it.

# Public roadmap
features | complete | 14 |
You answer so nicely on single posts, but I'd like to see the whole picture of what comes next.
> And an RSS feed of what's new, I know I'm old.
>> You're not alone.
> [later] Seeing "closed, and here's why" is refreshing.
! [Maya] Here it is: the Roadmap tab shows what's planned, in progress and done, and the changelog has a feed.
`;
