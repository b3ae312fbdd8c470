"""What the name of a column says of its role, in English and in some neighbouring languages."""

import re
import unicodedata
from functools import lru_cache
from typing import Any

SHEET = "sheet"  # the column that says which sheet of a workbook a row is from
SURE = ("sure", SHEET)  # roles of a column that makes tasks of several files one table

# Things that have many rows each, and whose rows one would fit together. Without accents.
ENTITIES = """
    school college university store shop branch outlet farm orchard vineyard herd stable
    patient subject subj participant respondent person individual pupil student child infant
    animal mouse rat cow pig bird fish tree plant
    sensor station meter buoy well gauge probe machine device engine turbine pump motor robot unit
    battery vehicle car truck bus driver rider pilot taxi airline airport hotel restaurant
    country nation city town village county municipality district province canton state borough
    firm company enterprise employer bank fund ticker isin asset portfolio supplier vendor seller
    site centre center hospital clinic practice ward lab laboratory household family building house
    customer client user account member product item sku brand article commodity
    team club player athlete speaker author host server node cell_line drug compound molecule gene
    protein batch lot domain species entity panel candidate
    neighborhood neighbourhood zip zipcode postcode street
    warehouse depot factory mill mine furnace kiln reactor pharmacy bakery brewery winery cafe gym
    museum library court prison port harbor greenhouse field_site hive colony cage litter nest
    vessel ship boat aircraft plane train tram bike scooter drone tractor crane elevator router
    phone camera satellite tower lake river reservoir road bridge intersection employee worker
    agent salesperson dealer donor volunteer observer coach
    schule hochschule filiale laden markt geschaeft betrieb hof bauernhof landwirt weinberg proband
    versuchsperson vp schueler kind tier kuh maus baum messstelle maschine anlage geraet motor
    fahrzeug fahrer land staat bundesland kreis landkreis gemeinde stadt ort firma unternehmen
    standort klinik krankenhaus praxis labor haushalt kunde nutzer produkt artikel ware charge
    verein mannschaft spieler werk plz zaehler lieferant
    ecole lycee magasin boutique ferme exploitation sujet personne eleve etudiant enfant vache
    arbre capteur appareil moteur vehicule conducteur chauffeur pays departement commune ville
    entreprise societe usine hopital clinique laboratoire menage client produit equipe joueur
    fournisseur succursale
    escuela colegio tienda granja finca paciente sujeto alumno estacion maquina vehiculo conductor
    pais ciudad municipio provincia empresa hogar producto equipo jugador cliente
    scuola negozio fattoria azienda paziente soggetto studente sensore stazione macchina veicolo
    autista paese citta comune ospedale prodotto squadra cliente
    loja fazenda escola cidade municipio maquina produto
    winkel boerderij school leerling machine klant ziekenhuis gemeente bedrijf
"""
# Groups of such things, or what things are put into: tasks where there is nothing finer.
GROUPS = """
    group groups grp gr sid region cohort study cluster area zone territory division department
    continent sector industry segment category location room line field plot parcel operator
    technician teacher instructor doctor physician nurse rater judge interviewer stimulus scenario
    route network campaign dataset source population strain fold class classroom
    course subgroup project program programme
    gruppe region gebiet bezirk kontinent branche abteilung klasse kurs lehrer arzt feld parzelle
    schlag raum linie kategorie studie kohorte
    groupe zone secteur continent categorie classe cours enseignant medecin parcelle champ salle
    ligne etude cohorte
    grupo zona sector categoria clase parcela estudio gruppo settore regione classe studio regiao
"""
# What counts or dates the rows of one thing.
TIMES = """
    t year yr month week day hour minute second quarter semester term season date datetime time
    timestamp period wave round visit trial cycle trip session step epoch iteration lap
    repetition repeat replicate rep run measurement observation obs occasion sample seq sequence
    order rank position weekday dayofweek dow doy decade age tenure matchday
    jahr monat woche kw kalenderwoche tag stunde quartal halbjahr saison datum zeit zeitpunkt
    zeitstempel welle runde visite besuch versuch durchgang zyklus fahrt sitzung schritt messung
    wiederholung wochentag alter reihenfolge
    annee an mois semaine jour heure trimestre semestre saison date temps horodatage periode vague
    visite essai cycle trajet seance etape mesure repetition age
    ano anno mes mese semana settimana dia giorno hora ora fecha data fecha_hora periodo visita
    ensayo prova ciclo viaje viaggio sesion sessione edad eta jaar maand dag uur datum
"""
# What describes a thing or a row, and does not name it.
TRAITS = """
    sex gender race ethnicity nationality education degree marital married smoker smoking weather
    treatment arm dose condition diagnosis status type kind color colour size method variety crop
    breed fuel material shift holiday promo promotion flag level stage phase mode quality risk
    priority payment floor language comment note remark weekend urban rural tier grade pclass band
    bin quartile decile income_group block job occupation soil event warning error_code gear
    transmission split set
    geschlecht bildung abschluss familienstand raucher wetter behandlung dosis bedingung diagnose
    typ art farbe groesse methode sorte rasse schicht feiertag aktion stufe phase modus qualitaet
    sprache bemerkung boden kultur
    sexe genre education tabac fumeur meteo traitement dose etat statut couleur taille methode
    variete race equipement niveau phase qualite langue remarque culture sol ferie
    sexo genero tratamiento estado tipo color variedad cultivo nivel sesso genere trattamento stato
    colore varieta coltura livello
"""
# What is measured or counted.
MEASURES = """
    amount total count price cost sales revenue turnover income wage salary profit rate ratio
    percent share temperature temp humidity pressure weight height length width depth speed
    distance duration rain rainfall precipitation score yield points value volume quantity qty
    units rooms bedrooms floors stock_level inventory demand latitude longitude lat lon bmi
    menge anzahl summe umsatz preis kosten ertrag temperatur druck gewicht hoehe laenge breite
    regen niederschlag punkte wert
    montant total prix cout ventes revenu taux temperature pression poids hauteur longueur pluie
    rendement valeur nombre quantite
    cantidad precio coste ventas ingreso temperatura presion peso altura lluvia rendimiento valor
    quantita prezzo costo vendite reddito pressione altezza pioggia resa valore
"""
# What is predicted: said plainly; what people usually want to know; what they often know already.
TARGETS = """
    target y response outcome label labels output dependent ziel zielwert zielgroesse zielvariable
    cible reponse sortie objetivo respuesta obiettivo risposta
"""
AIMS = """
    score result rating sales
    yield revenue turnover takings receipts demand sold mark marks achievement performance
    emissions mortality
    survival survived died death readmitted relapse churn churned defaulted converted purchased
    success passed failure failed fault rul delay claims rt reaction_time response_time accuracy
    correct progression concentration pm25 spending consumption
    ergebnis ertrag umsatz absatz punkte punktzahl leistung verbrauch reaktionszeit ausfall
    resultat rendement ventes consommation panne
    resultado rendimiento ventas risultato resa vendite voto opbrengst verkoop
"""
PERHAPS = """
    class grade value price income wage salary profit gdp growth cost loss load points strength
    hardness diagnosis default preis einkommen lohn kosten prix revenu salaire precio ingreso
    salario prezzo reddito prijs note notes nota
"""
# Before or after the word that counts: which value of a thing, not which thing.
LABELS = """
    id ids name names code codes number no nr num nbr nb index key iso iso2 iso3 the uid guid
    nummer kennung kuerzel bezeichnung kennziffer nom numero identifiant ident identifier ref
    la le die das nombre codigo nome codice
"""
LABELLING = set(LABELS.split())
GLUED = ("nummer", "number", "kennung", "kuerzel", "code", "name", "nr", "id", "no")
EARLIER = re.compile(r"(^|_)(lag|lagged|prev|previous|prior|last|baseline|base|vorher|pre)\d*(_|$)")
COUNTED = re.compile(
    r"(n|nb|num|no|number|count|counts|anzahl|nombre|is|has|ist|hat|est|log|mean|avg|average|max|"
    r"min|sum|total|pct|percent|share)_(of_|de_)?(?P<rest>.+)"
)
INFLECTED = ("s", "es", "n", "en", "e", "x", "in", "innen")
SHORTEST = 5  # letters of a word that may end or begin a compound

WORDS: dict[str, str] = {}
_LISTS = (GROUPS, ENTITIES, MEASURES, TRAITS, TIMES)  # later ones win
WORDS |= dict.fromkeys(f"{TARGETS} {AIMS} {PERHAPS}".split(), "measure")
for _role, _list in zip(("group", "entity", "measure", "trait", "time"), _LISTS, strict=True):
    WORDS |= dict.fromkeys(_list.split(), _role)
WORDS |= {"task": "sure", "tasks": "sure", SHEET: SHEET}
KNOWN = 3.0  # of what people often know already, the more so of one of several: a coffee_price
PLAINNESS = dict.fromkeys(PERHAPS.split(), KNOWN) | dict.fromkeys(AIMS.split(), 6.0)
PLAINNESS |= dict.fromkeys(TARGETS.split(), 8.0)
OF = {"of", "de", "du", "des", "der", "von", "di", "da", "van"}
TYPES = {"type", "typ", "tipo", "kind"}
TIME_ENDINGS = ("day", "date", "year", "month", "week", "time")


def simplify(name: Any) -> str:
    """``school_id`` of "School ID", "school.id" and "schoolID"; ``hopital`` of "Hôpital"."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name))
    words = words.lower().translate({ord("ä"): "ae", ord("ö"): "oe", ord("ü"): "ue"})
    plain = unicodedata.normalize("NFKD", words.replace("ß", "ss"))
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return re.sub(r"[\W_]+", "_", plain).strip("_")


@lru_cache(10_000)
def find_role(name: str) -> str:
    """sure, sheet, entity, group, id, time, trait or measure, as far as a name says it.

    Or "either": customers and age_patient are things if they are texts, but numbers otherwise.
    """
    whole = simplify(name)
    if whole in WORDS:
        return WORDS[whole]
    if counted := COUNTED.fullmatch(whole):
        rest = counted["rest"]
        return "entity" if WORDS.get(rest) == "entity" and whole[0] == "n" else "measure"
    words = whole.split("_")
    said = [word for word in words if word not in LABELLING]
    if OF.intersection(said[1:]):  # the type of a house is no house
        said = said[: next(at for at, word in enumerate(said) if at and word in OF)]
    said = [word for word in said if word not in OF]
    if not said:
        return "id"
    if said[-1].isdigit():
        return ""  # one of a numbered family, such as sensor_1, sensor_2
    first, last = find_word(said[0]), find_word("_".join(said)) or find_word(said[-1])
    if said[0] in TYPES:
        return "trait"
    if last == "entity" and first in ("time", "trait", "measure") and len(said) == len(words):
        return "either"  # a weather_station, or the age_patient
    if last or first == "time":
        return last or first
    return "id" if "id" in (words[0], words[-1]) else ""


def find_word(word: str) -> str:
    """The role of one word: as it stands, inflected, with a glued "nummer", or in a compound."""
    inflected = [word.removesuffix(end) for end in INFLECTED if word.endswith(end)]
    if role := next((WORDS[form] for form in (word, *inflected) if form in WORDS), ""):
        return "either" if role == "entity" and word not in WORDS and word[-1] == "s" else role
    if word.endswith(TIME_ENDINGS):
        return "time"
    for end in GLUED:
        stem = word.removesuffix(end)
        if stem != word and len(stem) > 2:
            longer = (known for known in WORDS if len(stem) >= 4 and known.startswith(stem))
            if role := find_word(stem) or WORDS.get(next(longer, ""), ""):
                return role
    endings = (word[at:] for at in range(3, len(word) - SHORTEST + 1))
    return next((WORDS[ending] for ending in endings if ending in WORDS), "")


def names_tasks(column: Any) -> str:
    """sure, sheet, entity, group or id where a column's name says that it names things."""
    role = find_role(str(column))
    return role if role in (*SURE, "entity", "group", "id") else ""


@lru_cache(10_000)
def weigh_target_name(name: str) -> float:
    """How plainly a name says that this is what is predicted, from 0 to 8; -3 for what was before.

    The whole name before the last word of several, as in exam_score, before the first, as in
    gdp_per_capita or prix_moyen.
    """
    whole = simplify(name)
    if EARLIER.search(whole):
        return -3.0
    if whole in PLAINNESS:
        return PLAINNESS[whole]
    words = [word for word in whole.split("_") if word != "y"]
    last, first = (PLAINNESS.get(words[at], 0.0) if len(words) > 1 else 0.0 for at in (-1, 0))
    return max(last - (0.5 if last > KNOWN else 2.0), first - 2.0, 0.0)
