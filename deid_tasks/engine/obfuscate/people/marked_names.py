"""Surnames with marks above or below their letters, and what follows a particle such as van or de la."""

MARKED_SURNAMES = {
    "hispanic": (
        "Álvarez", "Ávila", "Báez", "Benítez", "Bermúdez", "Cáceres", "Calderón", "Cárdenas", "Chávez", "Colón", "Cortés", "Dávila",
        "Díaz", "Domínguez", "Durán", "Echeverría", "Espíndola", "Fernández", "Galván", "García", "Garzón", "Gómez", "González",
        "Guzmán", "Gutiérrez", "Hernández", "Ibáñez", "Jiménez", "Juárez", "León", "López", "Luján", "Marín", "Márquez", "Martínez",
        "Méndez", "Mejía", "Muñoz", "Nájera", "Núñez", "Ordóñez", "Ortíz", "Páez", "Peña", "Pérez", "Quiñones", "Ramírez", "Rincón",
        "Ríos", "Rodríguez", "Román", "Rubén", "Sáenz", "Sánchez", "Solís", "Suárez", "Terán", "Tomás", "Ureña", "Valdés", "Vásquez",
        "Velázquez", "Verdín", "Yáñez", "Zúñiga",
    ),
    "white": (
        "Åberg", "Bergström", "Björk", "Böhm", "Černý", "Dvořák", "Élan", "Fässler", "François", "Göransson", "Grün", "Günther",
        "Håkansson", "Hélie", "Horváth", "Jäger", "Jørgensen", "Köhler", "Kovács", "Lévesque", "Lindström", "Löwe", "Malmström",
        "Müller", "Nørgaard", "Novák", "Öberg", "Pálsson", "Pétursson", "Rosén", "Schäfer", "Schröder", "Sjöberg", "Søndergaard",
        "Szabó", "Thérien", "Tóth", "Újvári", "Vögel", "Wójcik", "Żak",
    ),
    "api": (
        "Bùi", "Châu", "Đặng", "Đinh", "Đỗ", "Dương", "Hồ", "Hoàng", "Huỳnh", "Lê", "Lưu", "Mạc", "Nguyễn", "Ngô", "Phạm", "Phùng",
        "Tạ", "Trần", "Triệu", "Trịnh", "Võ", "Vũ",
    ),
}  # fmt: skip

PARTICLE_STEMS = {
    "dutch": (
        "Aa", "Berg", "Bosch", "Brink", "Broek", "Burg", "Dam", "Dijk", "Donk", "Eijk", "Elst", "Graaf", "Haar", "Heide", "Heijden",
        "Hoek", "Hoeven", "Horst", "Kamp", "Kerkhof", "Kolk", "Laan", "Leeuwen", "Linden", "Loo", "Meer", "Molen", "Ploeg", "Poel",
        "Putten", "Schaaf", "Schoot", "Steen", "Veen", "Velde", "Vliet", "Voort", "Wal", "Weide", "Werf", "Wiel", "Zanden", "Zee",
    ),
    "spanish": (
        "Barca", "Cerda", "Cruz", "Cueva", "Fuente", "Garza", "Hoya", "Huerta", "Jara", "Luz", "Mora", "O", "Paz", "Peña", "Piedra",
        "Puente", "Rosa", "Rocha", "Sierra", "Torre", "Vega", "Viña", "Hoz", "Parra", "Riva", "Maza", "Calle", "Guardia", "Fe",
    ),
    "arabic": (
        "Amin", "Asadi", "Baghdadi", "Bakri", "Darwish", "Fahim", "Farouk", "Ghazali", "Hakim", "Hassan", "Jabari", "Jaber", "Karim",
        "Khalil", "Khatib", "Masri", "Mansour", "Najjar", "Nasser", "Qasim", "Rahman", "Rashid", "Saadi", "Sabbagh", "Salem", "Sayed",
        "Shami", "Tamimi", "Tayeb", "Zahrani", "Zein",
    ),
    "german": (
        "Ahlen", "Arnim", "Berg", "Born", "Brandt", "Dohlen", "Eschen", "Hagen", "Halle", "Hardt", "Kessel", "Kleist", "Linden",
        "Lossow", "Moltke", "Oelsen", "Plessen", "Richter", "Rohr", "Salis", "Stein", "Tessin", "Thun", "Wedel", "Winter", "Zahn",
    ),
    "romance": (
        "Almeida", "Angelis", "Carvalho", "Costa", "Cunha", "Fonseca", "Franco", "Gama", "Lima", "Luca", "Marco", "Martino", "Matos",
        "Mello", "Moura", "Paula", "Pinto", "Prato", "Rocha", "Rossi", "Santis", "Santos", "Silva", "Simone", "Souza", "Stefano",
        "Vito", "Laurentis", "Palma", "Reis",
    ),
}  # fmt: skip
"""Stems of surnames by the language of the particle before them."""

PARTICLE_LANGUAGE = {
    **dict.fromkeys(("van", "van der", "van den", "van de", "ter", "ten"), "dutch"),
    **dict.fromkeys(("de la", "de las", "de los", "del", "la", "las", "los"), "spanish"),
    **dict.fromkeys(("al", "el", "bin", "ibn", "bint", "abu"), "arabic"),
    **dict.fromkeys(("von", "von der", "zu", "von und zu", "den", "der"), "german"),
    **dict.fromkeys(("de", "da", "di", "do", "dos", "das", "du", "le"), "romance"),
}
"""Particles, folded, and what kind of name follows each."""
