"""The categories of well-known applications.

Spec: Protocol/11-rules.md section 2, "Defaults"
"""

_IDS = {
    "learning": """
    geogebra org.kde.artikulate org.kde.blinken org.kde.gcompris org.kde.kalgebra org.kde.kalzium org.kde.kanagram
    org.kde.kbruch org.kde.kgeography org.kde.khangman org.kde.kig org.kde.klettres org.kde.ktouch org.kde.kturtle
    org.kde.kwordquiz org.kde.marble org.kde.minuet org.kde.parley org.kde.step org.stellarium.Stellarium pysiogame
    scratch tuxmath tuxpaint tuxtype
    """,
    "reward": """
    0ad chromium-bsu etr frozen-bubble hedgewars net.minetest.minetest net.wz2100.warzone2100 neverball openttd
    org.gnome.Mahjongg org.gnome.Mines org.gnome.Quadrapassel org.kde.kpat org.wesnoth.Wesnoth-1.16 pingus ri-li
    supertux2 supertuxkart teeworlds xmoto
    """,
}
CATEGORIES = {id_: category for category, ids in _IDS.items() for id_ in ids.split()}
